// The page's share of npm run bench (tests/viewer/bench.py): its parts in node, then the page in a headless Chromium. MEES_URL is that of a
// mees_view with a map of Ants. Best of several rounds; run it on an otherwise idle machine.
import { chromium, type Page } from 'playwright-core';
import { check_description } from './src/engine/description';
import { load_engine } from './src/engine/mujoco';
import { make_robot } from './src/engine/robot';
import { Purpose, Stream } from './src/engine/stream';
import { Task } from './src/engine/task';
import { parameter_count, Policy } from './src/policy/policy';

const ROUNDS = 3;
const CLICKS = 8;
const FRAME_MS = 1000 / 60;
const url = process.env.MEES_URL!;

function best_of(count: number, action: () => void): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; ++round) {
    const begin = performance.now();
    for (let i = 0; i < count; ++i) {
      action();
    }
    best = Math.min(best, (performance.now() - begin) / count);
  }
  return best;
}
function row(name: string, value: number, unit: string, note = ''): void {
  console.log(`${name.padEnd(44)} ${value.toPrecision(3).padStart(9)} ${unit.padEnd(4)} ${note}`.trimEnd());
}

function random_policy(layers: number[]): Policy {
  const policy = new Policy({ layers, output: 'tanh', observation_clip: 0 });
  const stream = new Stream(1, Purpose.replay);
  policy.load({
    parameters: Float32Array.from({ length: parameter_count(layers) }, () => 0.1 * stream.normal()),
    mean: new Float64Array(layers[0]), std: new Float64Array(layers[0]).fill(1),
  });
  return policy;
}

async function bench_engine(): Promise<void> {
  const { origin, searchParams } = new URL(url);
  const answer = await fetch(`${origin}/api/map?run=0&token=${searchParams.get('token')}`);
  const { domain, network } = (await answer.json()) as { domain: { model: string; description: unknown }; network: { layers: number[] } };
  const robot = make_robot(await load_engine(), { model: domain.model, description: check_description(domain.description), assets: [] }, '');
  const walkers = Array.from({ length: 16 }, (_, i) => {
    const task = new Task(robot);
    task.reset(new Stream(i, Purpose.replay));
    return { task, policy: random_policy(network.layers) };
  });
  const step = ({ task, policy }: (typeof walkers)[number]) => {
    if (task.finished) {
      task.reset(new Stream(1, Purpose.replay));
    }
    task.step(policy.act(task.observe()));
  };
  const [first] = walkers;
  const observation = Float64Array.from(first.task.observe());
  const label = network.layers.join('-');
  row(`policy ${label}`, 1000 * best_of(500, () => first.policy.act(observation)), 'us');
  row('control step with its policy', 1000 * best_of(300, () => step(first)), 'us', robot.description.integrator ?? '');
  // Control steps are longer than frames, so a frame makes a part of a step on average.
  const frame = best_of(50, () => walkers.forEach(step)) * Math.min(FRAME_MS / 1000 / first.task.control_seconds, 1);
  row('16 Ants, per frame at 60 Hz', frame, 'ms', `of ${FRAME_MS.toFixed(1)} ms, on one core`);
}

/** Milliseconds from the start of the navigation until the page is ready. */
async function opening(page: Page): Promise<number> {
  await page.goto(url);
  await page.waitForFunction(() => document.body.dataset.state === 'ready');
  return page.evaluate(() => (window as unknown as { ready: number }).ready);
}
/** Milliseconds from a click on the map until a frame with that robot has been drawn. */
function click(page: Page, x: number, y: number): Promise<number> {
  return page.evaluate(([left, top]) => new Promise<number>((done) => {
    const map = document.getElementById('map')!;
    const box = map.getBoundingClientRect();
    const begin = performance.now();
    const observer = new MutationObserver(() => {
      observer.disconnect();
      requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now() - begin)));
    });
    observer.observe(document.body, { attributeFilter: ['data-step'] });
    const event = new MouseEvent('click', { clientX: box.left + left * box.width, clientY: box.top + top * box.height, bubbles: true });
    map.dispatchEvent(event);
  }), [x, y] as const);
}
async function bench_page(executablePath: string): Promise<void> {
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-unsafe-swiftshader'] });
  const [opened, clicked]: number[][] = [[], []];
  for (let round = 0; round < ROUNDS; ++round) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
    await page.addInitScript(() => {
      const poll = () => (document.body?.dataset.state === 'ready' ? Object.assign(window, { ready: performance.now() }) : setTimeout(poll, 2));
      poll();
    });
    opened.push(await opening(page));
    for (let i = 0; i < CLICKS; ++i) {
      clicked.push(await click(page, 0.1 + (0.8 * ((7 * i) % CLICKS)) / CLICKS, 0.1 + (0.8 * i) / CLICKS));
      await page.click('[data-action=pause]');
    }
    await page.close();
  }
  await browser.close();
  const spread = (values: number[]) => `${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)} ms`;
  row('page opens a map of 500 elites', Math.min(...opened), 'ms', spread(opened));
  clicked.sort((a, b) => a - b);
  row('click to first frame, median', clicked[Math.floor(clicked.length / 2)], 'ms', spread(clicked));
}

await bench_engine();
if (process.env.MEES_CHROMIUM) {
  await bench_page(process.env.MEES_CHROMIUM);
} else {
  console.log('The page is not measured: there is no Chromium.');
}
