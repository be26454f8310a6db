// node run_tests.mjs [NAME...]: bundles tests/*.test.ts and runs them with node's test runner.
import { build } from 'esbuild';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const wanted = process.argv.slice(2);
const tests = readdirSync(join(here, 'tests')).filter((name) => name.endsWith('.test.ts'))
  .filter((name) => wanted.length === 0 || wanted.includes(name.replace('.test.ts', '')));
const folder = mkdtempSync(join(tmpdir(), 'mees-viewer-'));
try {
  symlinkSync(join(here, 'node_modules'), join(folder, 'node_modules'));
  await build({
    entryPoints: tests.map((name) => join(here, 'tests', name)), outdir: folder, outExtension: { '.js': '.mjs' }, bundle: true,
    format: 'esm', platform: 'node', target: 'node18', packages: 'external', logLevel: 'warning',
  });
  await build({
    entryPoints: [join(here, 'tests/golden_page.ts')], outfile: join(folder, 'golden_page.js'), bundle: true, format: 'iife', platform: 'browser',
    target: 'es2022', external: ['module', 'fs', 'path', 'url', 'crypto', 'worker_threads'], define: { 'import.meta.url': '"test"' }, logLevel: 'warning',
  });
  const files = tests.map((name) => join(folder, name.replace(/ts$/, 'mjs')));
  process.exitCode = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit', env: { ...process.env, MEES_GOLDEN_PAGE: join(folder, 'golden_page.js') } }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
