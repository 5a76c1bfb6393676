import { execFileSync } from 'node:child_process';
import { symlinkSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { Resources } from '../../lib/mcp/resources.ts';
import { RunFiles } from '../../lib/recording/run-files.ts';
import { RunFolder } from '../../lib/recording/run-folder.ts';
import { Recorded } from './places.ts';

interface Contents {
	contents: { uri: string; mimeType: string; text?: string; blob?: string; _meta: Record<string, number> }[];
}

/** The resources of a session with a log of these bytes, and a picture. */
function resourcesWith(t: ExecutionContext, log: Uint8Array) {
	const recorded = new Recorded(t);
	recorded.recording.called(1, {});
	recorded.recording.keepPicture(1, 'image/png', Buffer.from('picture'));
	const { descriptor, uri } = recorded.folder.createOutputLog(1);
	if (log.length > 0) writeSync(descriptor, log);
	const resources = new Resources(new RunFiles(recorded.folder));
	const read = async (query: string, address = uri) =>
		((await resources.answer('resources/read', { uri: address + query })) as Contents).contents[0];
	return { recorded, resources, read, uri };
}

test('logs and pictures are listed with their sizes, and nothing else of the run', async (t) => {
	const { recorded, resources } = resourcesWith(t, Buffer.from('hello'));
	writeFileSync(path.join(recorded.run, 'outputs', 'notes.txt'), '');
	symlinkSync('/etc/passwd', path.join(recorded.run, 'outputs', 'call-000002.log'));
	t.deepEqual(await resources.answer('resources/list'), {
		resources: [
			{ uri: 'console://session/outputs/call-000001.log', name: 'call-000001.log', mimeType: 'text/plain', size: 5 },
			{ uri: 'console://session/artifacts/picture-000001.png', name: 'picture-000001.png', mimeType: 'image/png', size: 7 },
		],
	});
});

test('a session without a folder has nothing', async (t) => {
	const files = new RunFiles(new RunFolder({ project: '/not/there', home: '/not/there' }));
	t.deepEqual(await files.list(), []);
	t.is(await files.read('console://session/outputs/call-000001.log', { offset: 0, length: 1 }), undefined);
});

test('a log is read in ranges; a picture whole', async (t) => {
	const { read } = resourcesWith(t, Buffer.from(`${'x'.repeat(65_536)}yz`));
	t.is((await read(''))?.text, 'x'.repeat(65_536));
	t.is((await read('?offset=65536'))?.text, 'yz');
	t.deepEqual((await read('?offset=65535&length=2'))?.text, 'xy');
	t.deepEqual((await read('?offset=65535'))?._meta, { 'console-mcp/offset': 65_535, 'console-mcp/size': 65_538 });
	t.is((await read('?offset=99999999'))?.text, '');
	t.is((await read('?length=0'))?.text, '');
	const picture = await read('', 'console://session/artifacts/picture-000001.png');
	t.is(Buffer.from(picture?.blob ?? '', 'base64').toString(), 'picture');
	t.is(picture?.mimeType, 'image/png');
});

test('ranges that meet lose no character and repeat none', async (t) => {
	await fc.assert(
		fc.asyncProperty(fc.array(fc.constantFrom('a', 'é', '漢', '🙂', '\n')), fc.integer({ min: 1, max: 7 }), async (characters, length) => {
			const whole = characters.join('');
			const bytes = Buffer.from(whole);
			const { read } = resourcesWith(t, bytes);
			let text = '';
			for (let offset = 0; offset < bytes.length; offset += length) text += (await read(`?offset=${offset}&length=${length}`))?.text;
			t.is(text, whole);
		}),
		{ numRuns: 40 },
	);
});

test('what is not text is shown as far as it goes', async (t) => {
	const { read } = resourcesWith(t, Buffer.from([0x80, 0x80, 0x80, 0x80, 0x61, 0xff, 0xe2]));
	t.is((await read(''))?.text, '����a��');
});

test('refused: what is not there, what is not served, and what makes no sense', async (t) => {
	const { recorded, read, resources, uri } = resourcesWith(t, Buffer.from('hello'));
	symlinkSync('/etc/passwd', path.join(recorded.run, 'outputs', 'call-000002.log'));
	execFileSync('mkfifo', [path.join(recorded.run, 'outputs', 'call-000003.log')]);
	for (const address of [
		'console://session/outputs/call-000002.log',
		'console://session/outputs/call-000003.log',
		'console://session/outputs/call-000099.log',
		'console://session/journal.jsonl',
		'console://session/outputs/../journal.jsonl',
		'console://session/outputs/%2e%2e/journal.jsonl',
		'console://other/outputs/call-000001.log',
		'file:///etc/passwd',
		'',
	])
		await t.throwsAsync(read('', address), { message: /this session has no file/ }, address);
	for (const query of ['?offset=-1', '?offset=x', '?length=1.5', '?offset=9999999999999999', '?size=1'])
		await t.throwsAsync(read(query), { code: -32602 } as object, query);
	await t.throwsAsync(resources.answer('resources/read', { uri: 5 }), { message: /uri is 5/ });
	await t.throwsAsync(resources.answer('resources/list', { cursor: 'next' }), { message: /cursor is "next"/ });
	t.is(await resources.answer('resources/subscribe', { uri }), undefined);
});

test('a long list comes in pages', async (t) => {
	const { recorded, resources } = resourcesWith(t, Buffer.from(''));
	for (let call = 2; call <= 250; call++) recorded.folder.createOutputLog(call);
	const first = (await resources.answer('resources/list')) as { resources: unknown[]; nextCursor?: string };
	t.is(first.resources.length, 200);
	const second = (await resources.answer('resources/list', { cursor: first.nextCursor })) as typeof first;
	t.is(second.resources.length, 51);
	t.is(second.nextCursor, undefined);
});
