import { Buffer } from 'node:buffer';

/** What a scanner finds in the bytes a program writes to its terminal. lib/output/line.ts acts on it. */
export interface LineActions {
	/** Characters to show: `bytes[from..to)`, whole characters, at least one. Newlines and tabs are among them, other controls are not. */
	text(bytes: Buffer, from: number, to: number): void;
	/** A carriage return. */
	carriageReturn(): void;
	backspace(): void;
	/** CSI 2 K. */
	eraseLine(): void;
	/** CSI K or CSI 0 K: from the cursor to the end of the line. */
	eraseToEnd(): void;
}

const escapeByte = 0x1b;
const bell = 0x07;
const backspace = 0x08;
const newline = 0x0a;
const carriageReturn = 0x0d;
const cancel = 0x18;
const substitute = 0x1a;
/** First byte of U+0080 to U+00BF in UTF-8; the C1 controls are U+0080 to U+009F. */
const c1Lead = 0xc2;
const stringTerminator = 0x9c;

/** Characters in a control sequence after which it is swallowed without effect: nobody writes so many. */
const longestSequence = 100;
/** Below this many bytes it is cheaper to look at each byte than to search for each control. */
const worthSearching = 2048;

/** Bytes that are more than text, the frequent ones first. */
const controls = [escapeByte, carriageReturn, backspace, c1Lead, 0x7f];
for (let code = 0; code < 0x20; code++) {
	if (code !== newline && code !== 0x09 && !controls.includes(code)) controls.push(code);
}
const isControl = new Uint8Array(256);
for (const code of controls) isControl[code] = 1;

const lineFeed = Buffer.from([newline]);

type State = 'ground' | 'escape' | 'intermediate' | 'sequence' | 'string';

/**
 * Finds the text in what a program writes to a terminal: ECMA-48 with the habits of xterm.
 *
 * - Tabs and newlines are text. Vertical tab and form feed count as newlines, as in a terminal.
 * - Carriage return, backspace and CSI K are actions on the line.
 * - All other C0 and C1 controls, DEL, and every other escape sequence vanish.
 * - OSC, DCS, SOS, PM and APC strings vanish with all they hold. BEL, ST, CAN and SUB end them, and so does any other escape sequence.
 * - A sequence that is broken off by a character that cannot stand in it is forgotten, and that character is kept.
 *
 * Gets valid UTF-8 in pieces of whole characters; where it was cut makes no difference. C1 controls are those of UTF-8 (U+009B), for a bare
 * byte 0x9b is not UTF-8.
 */
export class EscapeScanner {
	#state: State = 'ground';
	/** Characters of the control sequence so far. */
	#sequenceLength = 0;
	/** The sequence's only parameter; -1 when it has more than digits, or is too long. */
	#parameter = 0;

	scan(bytes: Buffer, line: LineActions): void {
		if (this.#state === 'ground' && bytes.length >= worthSearching && controls.every((code) => bytes.indexOf(code) < 0)) {
			line.text(bytes, 0, bytes.length);
			return;
		}
		let at = 0;
		while (at < bytes.length) {
			switch (this.#state) {
				case 'ground':
					at = this.#ground(bytes, at, line);
					break;
				case 'sequence':
					at = this.#sequence(bytes, at, line);
					break;
				case 'string':
					at = this.#string(bytes, at);
					break;
				default:
					at = this.#escape(bytes, at);
			}
		}
	}

	/** Forgets an unfinished sequence or string: what follows is text again. */
	close(): void {
		this.#state = 'ground';
	}

	/** Each of these takes what it can, beginning at `at`, and returns where the next one begins. */
	#ground(bytes: Buffer, at: number, line: LineActions): number {
		let end = nextControl(bytes, at);
		while (bytes[end] === c1Lead && (bytes[end + 1] as number) >= 0xa0) end = nextControl(bytes, end + 2);
		if (at < end) line.text(bytes, at, end);
		if (end === bytes.length) return end;
		const code = bytes[end] as number;
		switch (code) {
			case escapeByte:
				this.#state = 'escape';
				break;
			case carriageReturn:
				line.carriageReturn();
				break;
			case backspace:
				line.backspace();
				break;
			case 0x0b:
			case 0x0c:
				line.text(lineFeed, 0, 1);
				break;
			case c1Lead:
				this.#introduce((bytes[end + 1] as number) - 0x40);
				return end + 2;
		}
		return end + 1;
	}

	/** What ESC and one more byte introduce, or one C1 control, which is the same. */
	#introduce(byte: number): void {
		switch (byte) {
			case 0x5b: // [ CSI
				this.#state = 'sequence';
				this.#sequenceLength = 0;
				this.#parameter = 0;
				break;
			case 0x50: // P DCS
			case 0x58: // X SOS
			case 0x5d: // ] OSC
			case 0x5e: // ^ PM
			case 0x5f: // _ APC
				this.#state = 'string';
				break;
			default:
				this.#state = 'ground';
		}
	}

	#escape(bytes: Buffer, at: number): number {
		const byte = bytes[at] as number;
		if (byte >= 0x20 && byte <= 0x2f) {
			this.#state = 'intermediate';
			return at + 1;
		}
		if (byte < 0x20 || byte > 0x7e) {
			this.#state = 'ground';
			return at;
		}
		if (this.#state === 'escape') this.#introduce(byte);
		else this.#state = 'ground';
		return at + 1;
	}

	#sequence(bytes: Buffer, from: number, line: LineActions): number {
		for (let at = from; at < bytes.length; at++) {
			const byte = bytes[at] as number;
			if (byte < 0x20 || byte > 0x7e) {
				this.#state = 'ground';
				return at;
			}
			if (byte >= 0x40) {
				this.#state = 'ground';
				if (byte === 0x4b && this.#parameter === 2) line.eraseLine();
				if (byte === 0x4b && this.#parameter === 0) line.eraseToEnd();
				return at + 1;
			}
			this.#sequenceLength++;
			const isDigit = byte >= 0x30 && byte <= 0x39;
			if (!isDigit || this.#sequenceLength > longestSequence) this.#parameter = -1;
			else if (this.#parameter >= 0) this.#parameter = this.#parameter * 10 + byte - 0x30;
		}
		return bytes.length;
	}

	#string(bytes: Buffer, from: number): number {
		for (let at = from; at < bytes.length; at++) {
			const byte = bytes[at] as number;
			if (byte === escapeByte) {
				this.#state = 'escape';
				return at + 1;
			}
			if (byte === bell || byte === cancel || byte === substitute) {
				this.#state = 'ground';
				return at + 1;
			}
			if (byte === c1Lead && bytes[at + 1] === stringTerminator) {
				this.#state = 'ground';
				return at + 2;
			}
		}
		return bytes.length;
	}
}

/** Index of the next byte that may be a control, or the length. */
function nextControl(bytes: Buffer, from: number): number {
	let at = from;
	// Four at a time is a third faster.
	for (const end = bytes.length - 3; at < end; at += 4) {
		const found =
			(isControl[bytes[at] as number] as number) |
			(isControl[bytes[at + 1] as number] as number) |
			(isControl[bytes[at + 2] as number] as number) |
			(isControl[bytes[at + 3] as number] as number);
		if (found !== 0) break;
	}
	while (at < bytes.length && isControl[bytes[at] as number] === 0) at++;
	return at;
}
