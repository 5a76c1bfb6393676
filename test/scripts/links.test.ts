// Every link of the documentation leads somewhere: to a file of this repository, and to a heading in it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'ava';
import { inRoot } from '../../scripts/support/paths.mjs';

const pages = [
	...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((file) => inRoot(file)),
	...readdirSync(inRoot('docs'), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.md'))
		.map((file) => inRoot('docs', file)),
];

/** The anchors of a page's headings, as those who show Markdown make them. */
function anchorsOf(page: string): string[] {
	const headings = readFileSync(page, 'utf8').match(/^#+ .*$/gm) ?? [];
	return headings.map((heading) =>
		heading
			.replace(/^#+ /, '')
			.toLowerCase()
			.replace(/[^\p{L}\p{N}_\- ]/gu, '')
			.replaceAll(' ', '-'),
	);
}

for (const page of pages) {
	test(`the links of ${path.relative(inRoot(), page)} lead somewhere`, (t) => {
		const links = [...readFileSync(page, 'utf8').matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
		for (const link of links.filter((each) => !/^[a-z]+:/.test(each))) {
			const [file = '', anchor] = link.split('#');
			const target = file === '' ? page : path.resolve(path.dirname(page), file);
			t.true(existsSync(target), link);
			if (anchor !== undefined && existsSync(target)) t.true(anchorsOf(target).includes(anchor), link);
		}
		t.pass();
	});
}
