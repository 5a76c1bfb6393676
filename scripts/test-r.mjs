#!/usr/bin/env node
// Makes the R library that the tests use (see support/r-library.mjs). Does nothing when it is there.
import { ensureTestR } from './support/r-library.mjs';
import { fail } from './support/run.mjs';

await ensureTestR().catch(fail);
