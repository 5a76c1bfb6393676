#!/usr/bin/env node
// Makes the Pythons that the tests use (see support/venv.mjs). Does nothing when they are up to date.
import { fail } from './support/run.mjs';
import { ensureTestPython } from './support/venv.mjs';

await ensureTestPython().catch(fail);
