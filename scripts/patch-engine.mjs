// Writes packages/engine/patched: the sequencer's blockifier with our changes. Run it before cargo, once for each
// change of packages/engine/changes.
import { writePatchedCrates } from './engine-changes.mjs';

writePatchedCrates();
