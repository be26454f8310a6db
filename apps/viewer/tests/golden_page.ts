// For the browser test: the page's own engine on golden recordings.
import { load_engine } from '../src/engine/mujoco';
import { load_wasm } from '../src/page/data';
import { errors_of, type Recording } from './golden_run';

const engine = load_wasm().then(load_engine);
Object.assign(globalThis, { golden_errors: async (golden: Recording) => errors_of(await engine, golden) });
