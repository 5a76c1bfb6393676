import test from 'ava';
import { parseSize, shownSize } from '../../lib/config/size.ts';

test('sizes as people write them', (t) => {
	for (const [written, bytes] of Object.entries({ '0': 0, '1048576': 2 ** 20, '500MB': 5e8, '2 GiB': 2 ** 31, '1.5kb': 1500, '1B': 1 }))
		t.is(parseSize(written), bytes, written);
	for (const written of ['', 'MB', '-1', '5 parsecs', '1e9', '9999TB9', '99999999TB', '1,5MB'])
		t.is(parseSize(written), undefined, written);
});

test('sizes for people', (t) => {
	for (const [bytes, shown] of [
		[0, '0 B'],
		[999, '999 B'],
		[1000, '1.0 kB'],
		[9949, '9.9 kB'],
		[9951, '10 kB'],
		[999_499, '999 kB'],
		[999_501, '1.0 MB'],
		[5e15, '5000 TB'],
	] as const)
		t.is(shownSize(bytes), shown);
});
