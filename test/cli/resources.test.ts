import { existsSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { packageRoot, packageVersion, runtimeFolder } from '../../lib/resources.ts';

test('the package and its runtimes are found from the source', (t) => {
	t.true(existsSync(path.join(packageRoot, 'package.json')));
	t.is(runtimeFolder('python'), path.join(packageRoot, 'lib', 'runtime', 'python'));
	t.regex(packageVersion(), /^\d+\.\d+\.\d+/);
});
