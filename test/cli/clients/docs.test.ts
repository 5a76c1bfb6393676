import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { clients } from '../../../lib/cli/clients/clients.ts';
import { setupCommands } from '../../../lib/cli/setup-commands.ts';
import { packageRoot } from '../../../lib/resources.ts';

test('the page and the help name every client, with its file and the description that it follows', (t) => {
	const page = readFileSync(path.join(packageRoot, 'docs', 'clients.md'), 'utf8');
	const help = setupCommands.find(({ name }) => name === 'configure-client')?.argument?.meaning.split(/,? or |, |\.$/) ?? [];
	t.deepEqual(
		help.filter(Boolean),
		clients.map(({ name }) => name),
	);
	for (const { name, title, documentation, places } of clients) {
		const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\` | ${title} |`)) ?? '';
		t.true(row.endsWith(`| ${documentation} |`), name);
		const file = places.user?.('/project', {}).file ?? '';
		t.true(
			row.includes(
				file
					.split('/')
					.slice(-2)
					.join('/')
					.replace(/^.*\/(?=\.claude\.json)/, ''),
			),
			`${file} in ${row}`,
		);
		const shared = places.project?.('/project', {}).file;
		if (shared !== undefined) t.true(row.includes(`| \`${path.relative('/project', shared)}\` |`), `${shared} in ${row}`);
	}
});
