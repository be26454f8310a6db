import { check_description, type Description } from '../engine/description';
import type { DomainData } from '../engine/robot';
import { parameter_count, type Controller, type Network } from '../policy/policy';

export interface Space {
  names: string[];
  bins: number[];
  lower: number[];
  upper: number[];
  /** CVT maps: row-major, one per cell. */
  centroids?: number[];
}

export interface Columns {
  cell: number[];
  /** Row-major, an entry per axis. */
  bc: number[];
  fitness: number[];
  fitness_std: number[];
  novelty: number[];
  generation: number[];
  parent: number[];
  /** Of the chain of controllers; 1: a single one. */
  links: number[];
}

export interface History {
  generation: number[];
  best: number[];
  coverage: number[];
  qd_score: number[];
  cell: number[];
  episodes: number[];
  seconds: number[];
}

interface Stored {
  name: string;
  path: string;
  version: string;
  finished: boolean;
  run: { mees_version: string; mujoco_version: string; domain: string; algorithm: string; seed: number; generation: number; wall_seconds: number };
  settings: { run?: { generations?: number }; policy?: { observation_clip?: number }; algorithm?: { n_eval?: number; chain_steps?: number } };
  space: Space;
  network: { layers: number[]; output: 'tanh' | 'linear' };
  cells: Columns;
  history: History;
  checkpoints: string[];
  domain: { model: string; description: Description; assets: { file: string; bytes: string }[] } | null;
  /** What runs the episodes, if that is a program outside of mees. */
  program: { command: string[] } | null;
}

export interface MapData extends Omit<Stored, 'domain' | 'network'> {
  run_index: number;
  network: Network;
  domain: DomainData | null;
  /** Why there is no robot; empty if there is one. */
  no_robot: string;
  /** Row of each cell. */
  row_of: Map<number, number>;
}

export interface RunName {
  name: string;
  path: string;
}

function bytes_of(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

function to_map(stored: Stored, run_index: number): MapData {
  let domain: DomainData | null = null;
  let no_robot = stored.program
    ? `The environment of this map is a program, which cannot be animated in the browser: ${stored.program.command.join(' ')}. The map, its figures and the history are shown. Use mees_replay for episodes and videos.`
    : 'This map contains no robot (format 1.0, or a domain without a description). Run mees_evaluate on it with this version of mees to add it.';
  if (stored.domain) {
    try {
      const { model, description, assets } = stored.domain;
      domain = {
        model, description: check_description(description),
        assets: assets.map(({ file, bytes }) => ({ file, bytes: bytes_of(bytes) })),
      };
      no_robot = '';
    } catch (error) {
      no_robot = String((error as Error).message);
    }
  }
  return {
    ...stored, domain, no_robot, run_index,
    network: {
      ...stored.network, observation_clip: stored.settings.policy?.observation_clip ?? 0,
      chain_steps: stored.settings.algorithm?.chain_steps,
    },
    row_of: new Map(stored.cells.cell.map((cell, row) => [cell, row])),
  };
}

/** The links of a chain, one after the other, each at a multiple of 8 bytes. */
export function to_controller(bytes: ArrayBuffer, network: Network): Controller {
  const inputs = network.layers[0];
  const parameters = parameter_count(network.layers);
  const links: Controller[] = [];
  for (let at = 0; at < bytes.byteLength; at += 8 * Math.ceil((16 * inputs + 4 * parameters) / 8)) {
    links.push({
      mean: new Float64Array(bytes, at, inputs),
      std: new Float64Array(bytes, at + 8 * inputs, inputs),
      parameters: new Float32Array(bytes, at + 16 * inputs, parameters),
    });
  }
  const last = links.pop()!;
  return links.length > 0 ? { ...last, before: links } : last;
}

/** Where the maps come from: the server, or this file. */
export interface Source {
  readonly is_live: boolean;
  runs(): Promise<RunName[]>;
  map(run: number, version?: string): Promise<MapData>;
  controller(map: MapData, row: number): Promise<Controller>;
  /** Rows whose controllers can be had. */
  available(map: MapData): number[];
  /** Calls `changed` when a run has a newer map than the last one that was asked for; one call at a time. */
  watch(changed: (run: number) => Promise<void>): void;
}

/** What an exported page carries. */
export interface Embedded {
  map: Stored;
  controllers: Record<string, string>;
}

export class EmbeddedSource implements Source {
  readonly is_live = false;

  constructor(private readonly data: Embedded) {}

  async runs(): Promise<RunName[]> {
    return [{ name: this.data.map.name, path: this.data.map.path }];
  }
  async map(): Promise<MapData> {
    return to_map(this.data.map, 0);
  }
  async controller(map: MapData, row: number): Promise<Controller> {
    const text = this.data.controllers[row];
    if (text === undefined) {
      throw new Error('The controller of this cell is not in this file. Export the page with more --cells.');
    }
    return to_controller(bytes_of(text).buffer, map.network);
  }
  available(): number[] {
    return Object.keys(this.data.controllers).map(Number);
  }
  watch(): void {}
}

const KEPT_CONTROLLERS = 64;

class ServerSource implements Source {
  readonly is_live = true;
  private readonly kept = new Map<string, Controller>();
  /** Of each run, the version of the newest map that was asked for. */
  private readonly newest = new Map<number, string>();

  private async get(path: string): Promise<Response> {
    const response = await fetch(path);
    if (!response.ok) {
      throw new Error((await response.text()).trim() || `The server answered ${response.status}.`);
    }
    return response;
  }
  async runs(): Promise<RunName[]> {
    return (await this.get('/api/runs')).json() as Promise<RunName[]>;
  }
  async map(run: number, version = ''): Promise<MapData> {
    const stored = (await (await this.get(`/api/map?run=${run}&version=${encodeURIComponent(version)}`)).json()) as Stored;
    if (version === '') {
      this.newest.set(run, stored.version);
    }
    return to_map(stored, run);
  }
  async controller(map: MapData, row: number): Promise<Controller> {
    const path = `/api/controller?run=${map.run_index}&version=${encodeURIComponent(map.version)}&row=${row}`;
    let controller = this.kept.get(path);
    if (!controller) {
      controller = to_controller(await (await this.get(path)).arrayBuffer(), map.network);
      this.kept.set(path, controller);
      if (this.kept.size > KEPT_CONTROLLERS) {
        this.kept.delete(this.kept.keys().next().value!);
      }
    }
    return controller;
  }
  available(map: MapData): number[] {
    return map.cells.cell.map((_, row) => row);
  }
  watch(changed: (run: number) => Promise<void>): void {
    let announced: string[] | undefined;
    let busy = false;
    const inform = async () => {
      busy = true;
      while (announced) {
        const versions = announced;
        announced = undefined;
        for (const [run, version] of versions.entries()) {
          if (this.newest.has(run) && this.newest.get(run) !== version) {
            await changed(run);
          }
        }
      }
      busy = false;
    };
    new EventSource('/api/events').addEventListener('maps', (event) => {
      announced = JSON.parse((event as MessageEvent<string>).data) as string[];
      if (!busy) {
        void inform();
      }
    });
  }
}

export function open_source(): Source {
  const text = document.getElementById('mees-data')!.textContent!;
  const data = JSON.parse(text) as Embedded | null;
  return data ? new EmbeddedSource(data) : new ServerSource();
}

/** The compiled engine, from the page itself. */
export async function load_wasm(): Promise<WebAssembly.Module> {
  const packed = bytes_of(document.getElementById('mujoco-wasm')!.textContent!.trim());
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}
