import { make_kernel, STRIP, type Kernel } from './kernel';

export interface Network {
  layers: number[];
  output: 'tanh' | 'linear';
  /** 0: inputs are not clipped. */
  observation_clip: number;
  /** Control steps of each link of a chain but the last. */
  chain_steps?: number;
}

/** One network, and the chain of those that act before it, the first first. */
export interface Controller {
  parameters: Float32Array;
  mean: Float64Array;
  std: Float64Array;
  before?: Controller[];
}

export function parameter_count(layers: number[]): number {
  return layers.slice(1).reduce((sum, outputs, i) => sum + (layers[i] + 1) * outputs, 0);
}

interface Layer {
  packed: number;
  inputs: number;
  outputs: number;
  strips: number;
}

const strips_of = (outputs: number) => Math.ceil(outputs / STRIP);

/**
 * A controller's network: the action for an observation, bit-identical to that of mees and of mees.Policy.
 * Load a controller, then call act; the returned array is valid until the next call.
 */
export class Policy {
  private readonly kernel: Kernel;
  private readonly layers: Layer[] = [];
  private readonly buffers: [number, number];
  private readonly floats: Float32Array;
  private links: Controller[] = [];
  private acting = 0;
  private readonly action: Float64Array;

  constructor(private readonly network: Network) {
    const sizes = network.layers;
    if (sizes.length < 2 || sizes.some((size) => !(size > 0 && Number.isInteger(size)))) {
      throw new Error(`invalid network (layers ${sizes.join(' x ')}).`);
    }
    let offset = 0;
    for (let i = 1; i < sizes.length; ++i) {
      const strips = strips_of(sizes[i]);
      this.layers.push({ packed: offset, inputs: sizes[i - 1], outputs: sizes[i], strips });
      offset += 4 * (sizes[i - 1] + 1) * strips * STRIP;
    }
    const widest = 4 * STRIP * Math.max(...sizes.map(strips_of));
    this.buffers = [offset, offset + widest];
    this.kernel = make_kernel(offset + 2 * widest);
    this.floats = new Float32Array(this.kernel.memory.buffer);
    this.action = new Float64Array(sizes[sizes.length - 1]);
  }

  load(controller: Controller): void {
    const inputs = this.network.layers[0];
    const links = [...(controller.before ?? []), controller];
    for (const { parameters, mean, std } of links) {
      if (parameters.length !== parameter_count(this.network.layers) || mean.length !== inputs || std.length !== inputs) {
        throw new Error('invalid controller (its sizes are not those of the network).');
      }
    }
    this.links = links;
    this.pack(0);
  }

  /** Lets this link act. */
  private pack(link: number): void {
    const { parameters } = this.links[link];
    this.acting = link;
    let weights = 0;
    for (const { packed, inputs, outputs, strips } of this.layers) {
      let position = packed / 4;
      const biases = weights + inputs * outputs;
      for (let strip = 0; strip < strips; ++strip) {
        const first = strip * STRIP;
        const width = Math.min(STRIP, outputs - first);
        for (let row = -1; row < inputs; ++row) {
          const from = (row < 0 ? biases : weights + row * outputs) + first;
          this.floats.fill(0, position + width, position + STRIP);
          this.floats.set(parameters.subarray(from, from + width), position);
          position += STRIP;
        }
      }
      weights = biases + outputs;
    }
  }

  /** `step`: how many control steps the episode has made. */
  act(observation: ArrayLike<number>, step = 0): Float64Array {
    const link = Math.min(Math.floor(step / (this.network.chain_steps ?? 1)), this.links.length - 1);
    if (link !== this.acting) {
      this.pack(link);
    }
    const { mean, std } = this.links[link];
    const clip = Math.fround(this.network.observation_clip);
    let [from, to] = this.buffers;
    for (let i = 0; i < mean.length; ++i) {
      let x = Math.fround((observation[i] - mean[i]) / std[i]);
      if (clip > 0) {
        x = x < -clip ? -clip : x > clip ? clip : x;
      }
      this.floats[from / 4 + i] = x;
    }
    this.layers.forEach(({ packed, inputs, strips }, i) => {
      this.kernel.sum(packed, from, from + 4 * inputs, to, strips);
      if (i + 1 < this.layers.length || this.network.output === 'tanh') {
        this.kernel.tanh(to, to + 4 * STRIP * strips);
      }
      [from, to] = [to, from];
    });
    for (let i = 0; i < this.action.length; ++i) {
      this.action[i] = this.floats[from / 4 + i];
    }
    return this.action;
  }
}
