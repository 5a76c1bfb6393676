// Tiny programs in the place of a Python interpreter: each misbehaves in one way.
import { chmodSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ExecutionContext } from 'ava';

/** Python that speaks the private channel by hand: `frame(header, body)` sends, `receive()` reads one frame's header. */
const speaking = `#!/usr/bin/env python3
import os, struct, sys, time
def frame(header, body=b''):
    content = header.encode() + b'\\n' + body
    os.write(3, struct.pack('>I', len(content)) + content)
def receive():
    length, = struct.unpack('>I', os.read(3, 4))
    content = b''
    while len(content) < length:
        content += os.read(3, length - len(content))
    return content.split(b'\\n')[0].decode()
def hello(version='3.11.0', pid=None, executable=None):
    frame(f'hello protocol=1 pid={pid or os.getpid()} language=python version={version} executable={(executable or sys.argv[0]).replace("/", "%2F")}')
`;

/** A folder for the programs of one test. */
export class Programs {
	readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'console-worker-')));

	constructor(t: ExecutionContext) {
		t.teardown(() => rmSync(this.folder, { recursive: true, force: true }));
	}

	/** Writes an executable file; returns its absolute path. */
	file(name: string, text: string): string {
		const file = path.join(this.folder, name);
		writeFileSync(file, text);
		chmodSync(file, 0o755);
		return file;
	}

	/** A shell script. */
	shell(name: string, text: string): string {
		return this.file(name, `#!/bin/sh\n${text}\n`);
	}

	/** A program that speaks the private channel as the given Python says. */
	speaker(name: string, text: string): string {
		return this.file(name, `${speaking}${text}\n`);
	}
}
