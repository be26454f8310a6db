// npm run bench -- FOLDER: microseconds of the page's parts in node, on the golden recordings that tests/viewer/golden_data.py writes
// to FOLDER. Best of several rounds; run it on an otherwise idle machine.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check_description } from './src/engine/description';
import { load_engine } from './src/engine/mujoco';
import { make_robot } from './src/engine/robot';
import { Purpose, Stream } from './src/engine/stream';
import { Task } from './src/engine/task';
import { parameter_count, Policy } from './src/policy/policy';
import type { Recording } from './tests/golden_run';

const ROUNDS = 5;

function best_of(count: number, action: () => void): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; ++round) {
    const begin = performance.now();
    for (let i = 0; i < count; ++i) {
      action();
    }
    best = Math.min(best, (1000 * (performance.now() - begin)) / count);
  }
  return best;
}
const report = (name: string, microseconds: number) => console.log(`${name.padEnd(34)} ${microseconds.toFixed(1).padStart(9)} us`);

function random_policy(layers: number[]): Policy {
  const policy = new Policy({ layers, output: 'tanh', observation_clip: 0 });
  const stream = new Stream(1, Purpose.replay);
  policy.load({
    parameters: Float32Array.from({ length: parameter_count(layers) }, () => 0.1 * stream.normal()),
    mean: new Float64Array(layers[0]), std: new Float64Array(layers[0]).fill(1),
  });
  return policy;
}

for (const layers of [[27, 256, 256, 8], [27, 64, 64, 8], [376, 256, 256, 17]]) {
  const policy = random_policy(layers);
  const observation = Float64Array.from({ length: layers[0] }, (_, i) => Math.sin(i));
  report(`policy ${layers.join('-')}`, best_of(500, () => policy.act(observation)));
}
const mujoco = await load_engine();
for (const name of ['ant-1', 'ant_maze-1', 'deceptive_humanoid-1']) {
  const golden = JSON.parse(readFileSync(join(process.argv[2], `${name}.golden.json`), 'utf8')) as Recording;
  const robot = make_robot(mujoco, { model: golden.model, description: check_description(golden.description), assets: [] }, '');
  const task = new Task(robot);
  let step = golden.action.length;
  report(`control step of ${name.slice(0, -2)}`, best_of(300, () => {
    if (step === golden.action.length || task.finished) {
      task.place(golden.initial_qpos, golden.initial_qvel);
      step = 0;
    }
    task.step(golden.action[step++]);
  }));
  if (name === 'ant-1') {
    const wall = Array.from({ length: 16 }, (_, i) => {
      const member = new Task(robot);
      member.reset(new Stream(i, Purpose.replay));
      return { member, policy: random_policy([27, 256, 256, 8]) };
    });
    // At 20 control steps a second and 60 frames a second, a frame makes a third of a step.
    report('a frame of 16 Ants, 2 x 256', best_of(50, () => wall.forEach(({ member, policy }) => {
      if (member.finished) {
        member.reset(new Stream(1, Purpose.replay));
      }
      member.step(policy.act(member.observe()));
    })) / 3);
  }
}
