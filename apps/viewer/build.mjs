// node build.mjs [FOLDER]: bundles the viewer into FOLDER/page.html (default: build/viewer), one file that contains everything.
import { build } from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, '../../build/viewer');
const third_party = ['three', '@mujoco/mujoco'];

// The worker is a classic script: browsers do not start a module from a Blob in a page from file://.
async function bundle(entry, format) {
  const result = await build({
    entryPoints: [join(here, 'src', entry)], bundle: true, minify: true, write: false, format, platform: 'browser',
    target: 'es2022', external: ['module', 'fs', 'path', 'url', 'crypto', 'worker_threads'], legalComments: 'none',
    define: format === 'iife' ? { 'import.meta.url': '"worker"' } : {}, logLevel: 'warning',
  });
  return result.outputFiles[0].text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

/** Without custom sections: names and debugging information are half of the file. */
function strip_wasm(bytes) {
  const kept = [bytes.subarray(0, 8)];
  for (let at = 8; at < bytes.length;) {
    const start = at;
    const id = bytes[at++];
    let size = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++];
      size += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) {
        break;
      }
    }
    at += size;
    if (id !== 0) {
      kept.push(bytes.subarray(start, at));
    }
  }
  return Buffer.concat(kept);
}

function licences() {
  return third_party.map((name) => {
    const { version, license } = JSON.parse(readFileSync(join(here, 'node_modules', name, 'package.json'), 'utf8'));
    return `${name} ${version} (${license})`;
  }).join(', ');
}

const [page, worker] = await Promise.all([bundle('page/main.ts', 'esm'), bundle('worker.ts', 'iife')]);
const wasm = gzipSync(strip_wasm(readFileSync(join(here, 'node_modules/@mujoco/mujoco/mujoco.wasm'))), { level: 9 }).toString('base64');
const hash = createHash('sha256').update(page).digest('base64');
const policy = `default-src 'none'; script-src 'sha256-${hash}' 'unsafe-eval' blob:; worker-src blob:; style-src 'unsafe-inline'; `
  + `connect-src 'self' data: blob:; img-src data: blob:; media-src blob:`;
const parts = {
  policy, licences: licences(), page, worker, wasm,
  style: readFileSync(join(here, 'src/page/style.css'), 'utf8'),
};
const html = readFileSync(join(here, 'src/page/page.html'), 'utf8').replace(/@(\w+)@/g, (all, name) => parts[name] ?? all);
mkdirSync(out, { recursive: true });
const part = join(out, `page.html.${process.pid}.part`); // several may be building at once
writeFileSync(part, html);
renameSync(part, join(out, 'page.html'));
console.log(`${join(out, 'page.html')}: ${(html.length / 1e6).toFixed(1)} MB`);
