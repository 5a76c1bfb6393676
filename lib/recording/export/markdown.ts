import type { Journal } from '../read-journal.ts';
import { transcriptOf } from '../transcript.ts';
import { damageOf } from './damage.ts';
import type { Pictures } from './pictures.ts';

/** The transcript, made anew from the journal, with each picture inside where it is shown first. */
export async function markdownOf(journal: Journal, pictures: Pictures): Promise<string> {
	const addresses = new Map<string, string>();
	for (const event of journal.events) {
		if (event.event !== 'reply') continue;
		for (const part of event.content) {
			if (!('picture' in part) || part.picture === null || addresses.has(part.picture)) continue;
			const address = await pictures.dataUri(part.picture);
			if (address) addresses.set(part.picture, address);
		}
	}
	const inside = (file: string) => {
		const address = addresses.get(file) ?? file;
		addresses.delete(file);
		return address;
	};
	const text = [journal.opened, ...journal.events].map((event) => transcriptOf(event, inside)).join('');
	return (
		text +
		damageOf(journal)
			.map((line) => `\n*${line}*\n`)
			.join('')
	);
}
