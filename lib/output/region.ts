import { Buffer } from 'node:buffer';
import { BoundedText } from './bounded-text.ts';
import { mimeLimit, pictureCountLimit, pictureLimit } from './limits.ts';
import type { CellLog, DroppedPictures, Picture, PlacedTable, Region, ReplyPart } from './types.ts';

/** What pictures may still take up: in one reply, or in what is held for one. */
export class PictureAllowance {
	#bytes = pictureLimit;
	#count = pictureCountLimit;
	#mime = mimeLimit;

	/** Whether this picture still fits, whole; when it does, its size is taken off. */
	admits(picture: Picture): boolean {
		const bytes = this.#bytes - encodedLength(picture.bytes);
		const mime = this.#mime - Buffer.byteLength(picture.mimeType);
		if (bytes < 0 || mime < 0 || this.#count === 0) return false;
		this.#bytes = bytes;
		this.#mime = mime;
		this.#count--;
		return true;
	}
}

/** Length of the base64 text of these bytes. */
function encodedLength(bytes: Uint8Array): number {
	return Math.ceil(bytes.length / 3) * 4;
}

/** A region while it is being written. */
export class OpenRegion implements Region {
	readonly kind: Region['kind'];
	readonly call: number | undefined;
	readonly log: CellLog | undefined;
	readonly text = new BoundedText();
	readonly pictures: Picture[] = [];
	readonly tables: PlacedTable[] = [];
	dropped: DroppedPictures | undefined;

	/**
	 * @param call the call that began the cell; undefined for idle time
	 * @param log the cell's log; undefined for idle time
	 */
	constructor(call?: number, log?: CellLog) {
		this.kind = call === undefined ? 'idle' : 'cell';
		this.call = call;
		this.log = log;
	}

	get empty(): boolean {
		return this.text.length === 0 && this.pictures.length === 0 && this.tables.length === 0 && this.dropped === undefined;
	}

	/** Puts a picture after the text so far, or counts it as left out. */
	addPicture(picture: Picture, allowance: PictureAllowance): void {
		if (allowance.admits(picture)) this.pictures.push(picture);
		else this.drop({ at: picture.at, count: 1, encodedBytes: encodedLength(picture.bytes) });
	}

	/** Counts pictures as left out; the place is that of the first. */
	drop(more: DroppedPictures): void {
		const { at, count, encodedBytes } = this.dropped ?? { at: more.at, count: 0, encodedBytes: 0 };
		this.dropped = { at: Math.min(at, more.at), count: count + more.count, encodedBytes: encodedBytes + more.encodedBytes };
	}

	/** Appends what was written later to the same cell, or in the same idle time. */
	appendRegion(later: Region, allowance: PictureAllowance): void {
		const shift = this.text.length;
		this.text.appendText(later.text);
		for (const { at, table } of later.tables) this.tables.push({ at: at + shift, table });
		for (const picture of later.pictures) this.addPicture({ ...picture, at: picture.at + shift }, allowance);
		if (later.dropped) this.drop({ ...later.dropped, at: later.dropped.at + shift });
	}
}

/**
 * The same parts, regions that meet and belong to the same cell (or are idle time) being one: such a region tells once what was left out, and
 * however many takes it comes from, it is bounded. What pictures take up is limited to what one reply may have.
 */
export function joinRegions(parts: readonly ReplyPart[]): ReplyPart[] {
	const allowance = new PictureAllowance();
	const joined: ReplyPart[] = [];
	let open: OpenRegion | undefined;
	for (const part of parts) {
		if (!('region' in part)) {
			open = undefined;
			joined.push(part);
			continue;
		}
		const { region } = part;
		if (open?.kind !== region.kind || open.call !== region.call) {
			open = new OpenRegion(region.call, region.log);
			joined.push({ region: open });
		}
		open.appendRegion(region, allowance);
	}
	return joined;
}
