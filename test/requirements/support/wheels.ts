// Small real wheels, made on the spot, so that no test needs a network.
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface Wheel {
	name: string;
	version: string;
	/** Path inside the wheel → its text. One module that tells the version when left out. */
	files?: Record<string, string>;
	requires?: readonly string[];
	/** Name of an extra → what it requires. */
	extras?: Record<string, readonly string[]>;
	/** Name of a console script → 'module:function'. */
	scripts?: Record<string, string>;
	/** Name of a script that is shipped as it is → its text. */
	plainScripts?: Record<string, string>;
}

/** @returns the name of the wheel's file */
export function wheelName({ name, version }: Wheel): string {
	return `${distributionName(name)}-${version}-py3-none-any.whl`;
}

/** Writes a wheel into a folder, which is made when it is missing. @returns its absolute path */
export function writeWheel(folder: string, wheel: Wheel): string {
	mkdirSync(folder, { recursive: true });
	const file = path.join(folder, wheelName(wheel));
	writeFileSync(file, wheelBytes(wheel));
	return file;
}

export function wheelBytes(wheel: Wheel): Buffer {
	const { name, version, requires = [], extras = {}, scripts = {}, plainScripts = {} } = wheel;
	const stem = `${distributionName(name)}-${version}`;
	const info = `${stem}.dist-info`;
	const files: [string, string][] = Object.entries(wheel.files ?? { [`${distributionName(name)}.py`]: `version = "${version}"\n` });
	for (const [script, text] of Object.entries(plainScripts)) files.push([`${stem}.data/scripts/${script}`, text]);
	const optional = Object.entries(extras).flatMap(([extra, list]) => [
		`Provides-Extra: ${extra}`,
		...list.map((requirement) => `Requires-Dist: ${requirement}; extra == "${extra}"`),
	]);
	const needed = requires.map((requirement) => `Requires-Dist: ${requirement}`);
	files.push([
		`${info}/METADATA`,
		['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`, ...needed, ...optional, '', ''].join('\n'),
	]);
	files.push([`${info}/WHEEL`, 'Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n']);
	const points = Object.entries(scripts).map(([script, target]) => `${script} = ${target}\n`);
	if (points.length > 0) files.push([`${info}/entry_points.txt`, `[console_scripts]\n${points.join('')}`]);
	const record = files.map(
		([file, text]) => `${file},sha256=${createHash('sha256').update(text).digest('base64url')},${Buffer.byteLength(text)}\n`,
	);
	return zip([...files, [`${info}/RECORD`, `${record.join('')}${info}/RECORD,,\n`]]);
}

function distributionName(name: string): string {
	return name.replaceAll(/[-.]+/g, '_');
}

/** An archive of stored entries. */
function zip(entries: readonly (readonly [string, string])[]): Buffer {
	const parts: Buffer[] = [];
	const directory: Buffer[] = [];
	let offset = 0;
	for (const [name, text] of entries) {
		const [label, data] = [Buffer.from(name), Buffer.from(text)];
		const common = Buffer.alloc(26); // version, flags, method, time, date, crc, sizes, lengths: the same in both headers
		common.writeUInt16LE(20, 0);
		common.writeUInt16LE(0x21, 8); // the first day that the format knows
		common.writeUInt32LE(crc32(data), 10);
		common.writeUInt32LE(data.length, 14);
		common.writeUInt32LE(data.length, 18);
		common.writeUInt16LE(label.length, 22);
		const place = Buffer.alloc(14);
		place.writeUInt32LE(0o100644 * 0x10000, 6);
		place.writeUInt32LE(offset, 10);
		parts.push(Buffer.from('PK\x03\x04'), common, label, data);
		directory.push(Buffer.from('PK\x01\x02\x14\x03'), common, place, label);
		offset += 30 + label.length + data.length;
	}
	const size = directory.reduce((sum, part) => sum + part.length, 0);
	const end = Buffer.alloc(22);
	end.write('PK\x05\x06', 0, 'latin1');
	end.writeUInt16LE(entries.length, 8);
	end.writeUInt16LE(entries.length, 10);
	end.writeUInt32LE(size, 12);
	end.writeUInt32LE(offset, 16);
	return Buffer.concat([...parts, ...directory, end]);
}

/** The checksum of the format: zlib's own is not in Node 20. */
function crc32(bytes: Buffer): number {
	let crc = 0xffffffff;
	for (const byte of bytes) {
		crc ^= byte;
		for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
	}
	return ~crc >>> 0;
}
