// Runs episodes for the page: of a controller in a robot, with the random streams that the page names.
import { load_engine, type Mujoco } from './engine/mujoco';
import { make_robot, type DomainData, type Robot } from './engine/robot';
import { Stream } from './engine/stream';
import { Task } from './engine/task';
import { Policy, type Controller, type Network } from './policy/policy';

export interface StreamName {
  seed: number;
  purpose: number;
  generation: number;
  index: number;
}

export type Request =
  | { kind: 'start'; wasm: WebAssembly.Module; domain: DomainData; network: Network; damage: string }
  | { kind: 'episode'; id: number; controller: Controller; stream: StreamName };

export type Answer = { kind: 'result'; id: number; fitness: number; bc: number[]; steps: number } | { kind: 'failed'; id: number; reason: string };

let ready: Promise<{ task: Task; policy: Policy }> | undefined;
let robot: Robot | undefined;
let mujoco: Mujoco | undefined;

async function start({ wasm, domain, network, damage }: Extract<Request, { kind: 'start' }>): Promise<{ task: Task; policy: Policy }> {
  mujoco ??= await load_engine(wasm);
  robot = make_robot(mujoco, domain, damage);
  return { task: new Task(robot), policy: new Policy(network) };
}

/** One episode from its initial state to its end. */
export function run_episode(task: Task, policy: Policy, stream: Stream): void {
  task.reset(stream);
  while (!task.finished) {
    const action = policy.act(task.observe(), task.steps);
    if (!action.every(Number.isFinite)) {
      return;
    }
    task.step(action);
  }
}

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  if (data.kind === 'start') {
    ready = start(data);
    ready.catch(() => undefined); // reported by the episodes that follow
    return;
  }
  const { id, controller, stream } = data;
  try {
    const { task, policy } = await ready!;
    policy.load(controller);
    run_episode(task, policy, new Stream(stream.seed, stream.purpose, stream.generation, stream.index));
    self.postMessage({ kind: 'result', id, fitness: task.fitness, bc: [...task.bc], steps: task.steps } satisfies Answer);
  } catch (error) {
    self.postMessage({ kind: 'failed', id, reason: String((error as Error).message ?? error) } satisfies Answer);
  }
};
