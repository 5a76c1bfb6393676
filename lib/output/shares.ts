/**
 * Shares room fairly: who needs no more than an equal share has what it needs, and what these leave is shared by the others.
 * @param sizes what each would need
 * @param available what there is for all of them; nobody has anything when it is less than nothing
 * @returns what each may have, in the order of `sizes`
 */
export function shareOut(sizes: readonly number[], available: number): number[] {
	const shares = sizes.map(() => 0);
	const ascending = sizes.map((size, place) => ({ size, place })).sort((a, b) => a.size - b.size);
	let left = available;
	for (const [index, { size, place }] of ascending.entries()) {
		const share = Math.max(0, Math.floor(left / (ascending.length - index)));
		shares[place] = share;
		left -= Math.min(share, size);
	}
	return shares;
}
