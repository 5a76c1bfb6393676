// What recording costs, in the smallest cell.
import { withSession } from './session.mjs';

/** @returns {Promise<import('./measures.mjs').Row>} */
export async function recordingCost(tell) {
	tell('trivial cell, recorded and not');
	return withSession((plain) => withSession((recorded) => compare(plain, recorded)), 'unrecorded');
}

/** The two take turns, so that what else the machine does falls on both, and so does going first. */
async function compare(plain, recorded) {
	const without = [];
	const cost = [];
	for (let turn = 0; turn < 3200; turn++) {
		const order = turn % 2 === 0 ? [plain, recorded] : [recorded, plain];
		const took = new Map();
		for (const session of order) {
			const began = performance.now();
			await session.send({ python: 'None' });
			took.set(session, performance.now() - began);
		}
		if (turn < 200) continue;
		without.push(took.get(plain));
		cost.push(took.get(recorded) - took.get(plain));
	}
	const floor = { what: 'the cell without it', value: middle(without) };
	return { what: 'recording of a trivial cell', value: middle(cost), unit: 'ms', floor, bar: floor.value / 10, rule: '0.1 × floor' };
}

function middle(values) {
	return values.sort((a, b) => a - b)[values.length >> 1];
}
