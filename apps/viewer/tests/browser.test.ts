// The page in a headless browser: on a server, and from a file. The environment names the programs and maps (tests/viewer).
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { files, read_json } from './data';
import type { Recording } from './golden_run';
import { chromium, type Browser, type Page } from 'playwright-core';

const { MEES_BIN: bin = '', MEES_CHROMIUM: executable = '', MEES_MAP: map = '', MEES_LIVE_CONFIG: live_config = '', MEES_EXPORT: exported = '',
  MEES_GOOD_EXPORT: good = '', MEES_HOSTILE: hostile = '', MEES_PROGRAM: program = '', MEES_SCRATCH: scratch = '' } = process.env;
const ARGUMENTS = ['--no-sandbox', '--enable-unsafe-swiftshader'];
/** Milliseconds that a step of a test may take: the machine may be slow and busy. Nothing below depends on how long anything takes. */
const PATIENCE = 120_000;
const VIEWPORT = { width: 900, height: 500 };

let browser: Browser;
const children: ChildProcess[] = [];

async function serve(...maps: string[]): Promise<string> {
  const child = spawn(`${bin}/mees_view`, [...maps, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return new Promise((done, failed) => {
    child.stdout!.once('data', (chunk: Buffer) => done(chunk.toString().split('\n')[0]));
    child.once('exit', () => failed(new Error('mees_view ended')));
  });
}
async function open(url: string, from = browser): Promise<{ page: Page; problems: string[] }> {
  const page = await from.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(PATIENCE);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(url);
  await page.waitForFunction(() => document.body.dataset.state !== 'loading');
  await page.evaluate(() => {
    const states = ((window as unknown as { states: string[] }).states = []) as string[];
    new MutationObserver(() => states.push(document.body.dataset.state!)).observe(document.body, { attributeFilter: ['data-state'] });
  });
  return { page, problems };
}
const state = (page: Page) => page.evaluate(() => ({ ...document.body.dataset }) as Record<string, string>);
const until = (page: Page, condition: string) => page.waitForFunction(condition);
/** The states that the page has been in since it was opened, also those that did not last. */
const states = (page: Page) => page.evaluate(() => (window as unknown as { states: string[] }).states);

/** After what was changed is on the screen. */
const drawn = (page: Page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));

/** Bytes of a video of the robot at rest. The browser encodes as fast as it can, so it may need another try. */
async function record(page: Page): Promise<number> {
  let bytes = 0;
  for (let frames = 10; bytes < 1000 && frames < 1000; frames *= 3) {
    await page.click('[data-action=export]');
    await page.click('text=Record the robot');
    for (let i = 0; i < frames; ++i) {
      await drawn(page);
    }
    await page.click('[data-action=export]');
    const [video] = await Promise.all([page.waitForEvent('download'), page.click('text=Stop recording')]);
    bytes = statSync(await video.path()).size;
  }
  return bytes;
}

before(async () => {
  browser = await chromium.launch({ executablePath: executable, args: ARGUMENTS });
});
after(async () => {
  await browser?.close();
  for (const child of children) {
    child.kill('SIGINT');
  }
  await Promise.all(children.map((child) => child.exitCode === null && child.signalCode === null && once(child, 'exit')));
});

test('a click on the map makes a robot walk; buttons, keys and the URL choose what it does', async () => {
  const url = await serve(map);
  const { page, problems } = await open(`${url}&seed=5`);
  const begin = await state(page);
  assert.equal(begin.state, 'ready');
  assert.equal(begin.step, '0');
  assert.ok(Number(begin.cells) > 1 && Number(begin.generation) > 0);
  assert.ok(!page.url().includes('token') && page.url().includes('seed=5'));

  const box = (await page.locator('#map').boundingBox())!;
  await page.mouse.click(box.x + 0.9 * box.width, box.y + 0.9 * box.height);
  await until(page, 'Number(document.body.dataset.step) >= 3');
  assert.ok((await states(page)).includes('running'));
  for (const name of ['play', 'pause', 'step', 'reset', 'recover', 'wall', 'export']) {
    const button = page.locator(`[data-action=${name}]`);
    assert.equal(await button.count(), 1);
    assert.ok(await button.isVisible());
  }
  await page.click('[data-action=pause]');
  const paused = await state(page);
  assert.equal(paused.state, 'paused');
  assert.notEqual(paused.x, begin.x);
  await page.click('[data-action=reset]'); // the episode may have ended on a slow machine
  for (const step of ['0', '1', '2']) {
    const { step: made, state: now } = await state(page);
    assert.deepEqual([made, now], [step, 'paused']);
    await page.click('[data-action=step]');
  }

  const cells = (await page.evaluate(() => fetch('/api/map?run=0').then((answer) => answer.json()))) as { cells: { cell: number[] } };
  for (const cell of cells.cells.cell.slice(0, 2)) {
    await page.evaluate((id) => {
      location.hash = `cell=${id}`;
    }, cell);
    await until(page, `document.body.dataset.cell === '${cell}'`);
  }
  await page.focus('#map');
  const visited = new Set<string>();
  for (const key of ['ArrowRight', 'ArrowUp', 'ArrowLeft', 'ArrowDown']) {
    await page.keyboard.press(key);
    const { cell } = await state(page);
    visited.add(cell);
    await until(page, `location.hash === '#cell=${cell}'`);
  }
  assert.ok(visited.size > 1);
  await page.keyboard.press('n');
  await until(page, "new URLSearchParams(location.search).get('seed') === '6'");
  assert.deepEqual(problems, []);
  await page.close();
});

test('an episode depends on cell, seed and damage only', async () => {
  const { page } = await open(`${await serve(map)}&seed=3&damage=J0,J1`);
  const run = async () => {
    await page.click('[data-action=reset]');
    for (let i = 0; i < 8; ++i) {
      await page.click('[data-action=step]');
    }
    const { x, fitness, step } = await state(page);
    assert.equal(step, '8');
    return `${x} ${fitness}`;
  };
  assert.equal((await state(page)).damage, 'J0,J1');
  const first = await run();
  assert.equal(await run(), first);
  await page.click('#next-seed');
  const other = await run();
  await page.click('[data-tab=damage]');
  await page.click('#repair');
  assert.equal((await state(page)).damage, '');
  assert.equal(new Set([first, other, await run()]).size, 3);
  await page.close();
});

test('a damaged robot recovers, and the figures of 30 episodes are measured', async () => {
  const { page, problems } = await open(await serve(map));
  await page.selectOption('#speed', '8');
  await page.click('[data-tab=damage]');
  await page.click('#motors button:nth-child(1)');
  await until(page, "document.body.dataset.damage === 'J0'");
  await page.click('[data-action=recover]');
  await until(page, "/^Cell \\d+: /.test(document.getElementById('answer').textContent)");
  const answer = (await page.textContent('#answer'))!;
  assert.match(answer, new RegExp(`^Cell ${(await state(page)).cell}: `));
  await until(page, "document.body.dataset.state !== 'recovering'");
  assert.ok((await states(page)).includes('recovering'));
  assert.ok(await page.locator('#colour option', { hasText: 'Predicted fitness' }).count());
  await page.click('[data-tab=episode]');
  await page.click('#evaluate');
  await until(page, "document.getElementById('evaluation').textContent.startsWith('now ')");
  await page.click('[data-action=wall]');
  await until(page, "document.getElementById('title').textContent.startsWith('The best ') && Number(document.body.dataset.step) > 2");
  assert.deepEqual(problems, []);
  await page.close();
});

test('a live run gains generations and cells on the page', async () => {
  const run = `${scratch}/live`;
  const master = spawn(`${bin}/mees_master`, [live_config, '--out', run, '--threads', '1'], { stdio: 'ignore' });
  children.push(master);
  while (!existsSync(`${run}/map.h5`)) {
    assert.equal(master.exitCode, null);
    await new Promise((done) => setTimeout(done, 10));
  }
  const { page } = await open(await serve(run));
  const first = await state(page);
  await until(page, `Number(document.body.dataset.generation) > ${Number(first.generation) + 2}`);
  await until(page, `Number(document.body.dataset.cells) > ${Number(first.cells)}`);
  assert.ok(await page.locator('#live').isVisible());
  master.kill('SIGTERM');
  await once(master, 'exit');
  await page.close();
});

test('a map that was written while the page was being opened is shown', async () => {
  const [run, other] = [`${scratch}/live`, `${scratch}/other`]; // of the test before
  mkdirSync(other);
  copyFileSync(`${run}/map.prev.h5`, `${other}/map.h5`);
  const page = await browser.newPage({ viewport: VIEWPORT });
  page.setDefaultTimeout(PATIENCE);
  await page.addInitScript(() => { // events arrive late
    const Real = EventSource;
    const connected = new Promise<void>((done) => Object.assign(window, { connect: done }));
    window.EventSource = class extends EventTarget {
      constructor(url: string) {
        super();
        void connected.then(() => new Real(url).addEventListener('maps', ({ data }) => this.dispatchEvent(new MessageEvent('maps', { data }))));
      }
    } as unknown as typeof EventSource;
  });
  await page.goto(await serve(other));
  await until(page, "document.body.dataset.state === 'ready'");
  copyFileSync(`${run}/map.h5`, `${other}/next`);
  renameSync(`${other}/next`, `${other}/map.h5`);
  const served = () => page.evaluate(() => fetch('/api/map?run=0').then((answer) => answer.json())) as Promise<{ version: string }>;
  while ((await served()).version === '1') {
    await new Promise((done) => setTimeout(done, 50));
  }
  await page.evaluate('connect()');
  await until(page, "document.getElementById('live').classList.contains('moves')"); // it has taken a new map
  await page.close();
});

test('an exported page works from a file, without network', async () => {
  const { page, problems } = await open(`file://${exported}`);
  await page.context().setOffline(true);
  assert.equal((await state(page)).state, 'ready');
  await page.click('#big-play');
  await until(page, 'Number(document.body.dataset.step) >= 3');
  await page.click('#evaluate');
  await until(page, "document.getElementById('evaluation').textContent.startsWith('now ')");
  await page.click('[data-action=export]');
  const [svg] = await Promise.all([page.waitForEvent('download'), page.click('text=Map as SVG')]);
  assert.match(svg.suggestedFilename(), /-map\.svg$/);
  assert.ok((await record(page)) >= 1000);
  assert.deepEqual(problems, []);
  await page.close();
});

test('the Ant of the documentation runs', async () => {
  const { page, problems } = await open(`file://${good}`);
  await page.selectOption('#speed', '8');
  await page.click('#big-play');
  await until(page, "document.body.dataset.state === 'paused'"); // after the last step
  const end = await state(page);
  assert.equal(end.step, '250');
  assert.ok(Number(end.x) > 20 && Number(end.fitness) > 600, `${end.x} ${end.fitness}`);
  await page.click('[data-tab=elite]');
  assert.ok(await page.locator('#ancestors li').count());
  assert.deepEqual(problems, []);
  await page.close();
});

test('a click on a limb damages it, and a drag pulls the robot while it is held', async () => {
  const { page } = await open(`file://${exported}`);
  await page.setViewportSize({ width: 1280, height: 720 });
  await drawn(page);
  const { x, y, width, height } = (await page.locator('#robot').boundingBox())!;
  const [middle_x, middle_y] = [x + width / 2, y + height / 2];
  await page.click('[data-action=reset]'); // paused: nothing moves, and nothing covers the robot
  assert.equal((await state(page)).state, 'paused');
  // The legs are around the torso, which is near the middle of the picture.
  for (let i = 0; i < 40 && (await state(page)).damage === ''; ++i) {
    await page.mouse.click(middle_x + 20 * ((i % 8) - 3.5), middle_y + 12 * (Math.floor(i / 8) - 1));
  }
  assert.match((await state(page)).damage, /^J\d/);

  // Steps by keys, so that the time that anything takes does not matter.
  const travelled = async () => {
    await page.keyboard.press('r');
    const start = Number((await state(page)).x);
    for (let i = 0; i < 20; ++i) {
      await page.keyboard.press('.');
    }
    const end = await state(page);
    assert.equal(end.step, '20');
    return Number(end.x) - start;
  };
  const alone = await travelled();
  await page.keyboard.press('r');
  await drawn(page);
  const is_on_robot = () => page.evaluate(() => document.getElementById('robot')!.style.cursor === 'pointer');
  let torso_y = middle_y - 60;
  for (await page.mouse.move(middle_x, torso_y); !(await is_on_robot()); await page.mouse.move(middle_x, torso_y)) {
    assert.ok((torso_y += 5) < middle_y + 60);
  }
  await page.mouse.down();
  await page.mouse.move(middle_x + 80, torso_y, { steps: 5 });
  await until(page, "document.body.dataset.state === 'running' || Number(document.body.dataset.step) > 0");
  await page.keyboard.press('.');
  const pulled = await travelled();
  assert.ok(pulled - alone > 0.2, `${alone} ${pulled}`);
  assert.equal(await travelled(), pulled); // a reset does not let go
  await page.mouse.up();
  assert.equal(await travelled(), alone);
  await page.close();
});

test('golden recordings are reproduced in the browser', async () => {
  const context = await browser.newContext({ bypassCSP: true });
  const page = await context.newPage();
  await page.goto(`file://${exported}`);
  await page.addScriptTag({ content: readFileSync(process.env.MEES_GOLDEN_PAGE!, 'utf8') });
  for (const file of files('.golden.json')) {
    const errors = await page.evaluate((golden) => (globalThis as unknown as { golden_errors: (golden: Recording) => Promise<Record<string, number>> })
      .golden_errors(golden), read_json<Recording>(file));
    for (const [name, error] of Object.entries(errors)) {
      assert.ok(error <= 1e-6, `${file}, ${name}: ${error}`);
    }
  }
  await context.close();
});

test('strings of a hostile map are text', async () => {
  const { page } = await open(await serve(hostile));
  await page.click('[data-tab=elite]');
  assert.equal(await page.evaluate(() => document.body.dataset.evil), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.textContent('#about'))!.includes('<img'));
  await page.close();
});

test('a map whose environment is a program shows its figures and says that it cannot be animated', async () => {
  const { page, problems } = await open(await serve(program));
  await until(page, "document.body.dataset.state === 'ready'");
  const text = (await page.textContent('#stage-message')) ?? '';
  assert.match(text, /cannot be animated in the browser: my-simulator --robot 7\. /);
  assert.match(text, /mees_replay/);
  assert.ok(Number(await page.evaluate('document.body.dataset.cells')) > 0);
  assert.deepEqual(problems, []);
  await page.close();
});

test('without WebGL the page says so and still simulates; nothing overflows on a phone', async () => {
  const plain = await chromium.launch({ executablePath: executable, args: [...ARGUMENTS, '--disable-3d-apis'] });
  try {
    const { page } = await open(`file://${exported}`, plain);
    await page.setViewportSize({ width: 390, height: 800 });
    assert.match((await page.textContent('#stage-message'))!, /WebGL/);
    await page.click('[data-action=step]');
    assert.equal((await state(page)).step, '1');
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth));
  } finally {
    await plain.close();
  }
});
