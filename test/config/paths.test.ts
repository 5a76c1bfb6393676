import { userInfo } from 'node:os';
import test from 'ava';
import { ConfigurationError } from '../../lib/config/error.ts';
import { homeFolder, resolvePath } from '../../lib/config/paths.ts';

const variable = process.platform === 'win32' ? 'USERPROFILE' : 'HOME';

test.serial('an empty or relative home is none: what the system knows of the user counts, and never the root of the disk', (t) => {
	const before = process.env[variable];
	t.teardown(() => {
		process.env[variable] = before;
	});
	for (const written of ['', 'relative/home']) {
		process.env[variable] = written;
		t.is(homeFolder(), userInfo().homedir);
		t.is(resolvePath('~', '/base'), userInfo().homedir);
	}
});

test('a user without a home is told what to set', (t) => {
	const unknown = () => {
		throw new Error('ENOENT');
	};
	const error = t.throws(() => homeFolder([unknown, () => '']), { instanceOf: ConfigurationError });
	t.regex(
		error?.message ?? '',
		new RegExp(`^there is no home folder: ${variable} .*Nothing was done\\. Set ${variable}; for sessions CONSOLE_HOME`),
	);
});
