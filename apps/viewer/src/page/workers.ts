import type { DomainData } from '../engine/robot';
import type { Controller, Network } from '../policy/policy';
import type { Answer, Request, StreamName } from '../worker';

export interface Outcome {
  fitness: number;
  bc: number[];
  steps: number;
}

interface Job {
  id: number;
  controller: Controller;
  stream: StreamName;
  done(outcome: Outcome): void;
  failed(error: Error): void;
}

const MOST_WORKERS = 4;

/** Workers that run episodes of one robot; the results do not depend on their number. */
export class EpisodePool {
  private readonly idle: Worker[] = [];
  private readonly all: Worker[] = [];
  private readonly waiting: Job[] = [];
  private readonly running = new Map<Worker, Job>();
  private next_id = 0;

  constructor(wasm: WebAssembly.Module, domain: DomainData, network: Network, damage: string) {
    const script = document.getElementById('worker')!.textContent!;
    const url = URL.createObjectURL(new Blob([script], { type: 'text/javascript' }));
    const count = Math.min(Math.max((navigator.hardwareConcurrency || 2) - 1, 1), MOST_WORKERS);
    for (let i = 0; i < count; ++i) {
      const worker = new Worker(url);
      worker.postMessage({ kind: 'start', wasm, domain, network, damage } satisfies Request);
      worker.onmessage = ({ data }: MessageEvent<Answer>) => this.finish(worker, data);
      worker.onerror = (event) => this.finish(worker, { kind: 'failed', id: -1, reason: event.message || 'A worker failed.' });
      this.idle.push(worker);
      this.all.push(worker);
    }
  }

  run(controller: Controller, stream: StreamName): Promise<Outcome> {
    return new Promise((done, failed) => {
      this.waiting.push({ id: this.next_id++, controller, stream, done, failed });
      this.hand_out();
    });
  }
  /** Ends the workers; episodes that are not finished never are. */
  close(): void {
    this.all.forEach((worker) => worker.terminate());
  }

  private hand_out(): void {
    while (this.idle.length > 0 && this.waiting.length > 0) {
      const worker = this.idle.pop()!;
      const job = this.waiting.shift()!;
      this.running.set(worker, job);
      const { id, controller, stream } = job;
      worker.postMessage({ kind: 'episode', id, controller, stream } satisfies Request);
    }
  }
  private finish(worker: Worker, answer: Answer): void {
    const job = this.running.get(worker);
    this.running.delete(worker);
    this.idle.push(worker);
    if (answer.kind === 'result') {
      job?.done(answer);
    } else {
      job?.failed(new Error(answer.reason));
    }
    this.hand_out();
  }
}
