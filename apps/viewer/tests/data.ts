import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder that tests/viewer fills. */
const folder = process.env.MEES_VIEWER_DATA ?? 'data';

export function files(ending: string): string[] {
  return readdirSync(folder).filter((name) => name.endsWith(ending)).sort();
}
export function read_json<T>(name: string): T {
  return JSON.parse(readFileSync(join(folder, name), 'utf8')) as T;
}
