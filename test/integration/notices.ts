// The notices of the reference, as a client compares them.
export const DONE = '[done]';
export const IDLE = '[idle]';
export const RUN = '[running; poll with an empty send]';
export const WAIT = '[waiting for stdin]';
export const STARTING = '[worker starting]';
export const LOST = '[worker stopped: in-memory state lost]';
export const NEW = '[starting new worker]';
export const ACT = '[active evaluation stopped by session restart request]';
export const STOPPED = '[stopped by session restart request before evaluation finished]';
export const BUSY = '[worker is already evaluating a cell; poll without a code field]';
export const POLLED = '[worker evaluation is already being polled]';
/** What a restart of a ready worker says last. */
export const REPLACED = `${LOST}\n${NEW}\n${IDLE}`;
