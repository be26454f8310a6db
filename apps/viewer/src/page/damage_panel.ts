import type { Description } from '../engine/description';
import type { Model } from '../engine/mujoco';
import { motors_called } from '../engine/robot';
import { parse_damage } from '../engine/damage';
import { button, byId, options } from './dom';

interface Word {
  label: string;
  /** Words of the description's damage_words; undefined: no name. */
  names?: string;
  value?: string;
  text(name: string, value: string): string;
}

const WORDS: Word[] = [
  { label: 'lock', names: 'lock', text: (name) => `lock:${name}` },
  { label: 'weaken', names: 'weak', value: '0.3', text: (name, value) => `weak:${name}=${value}` },
  { label: 'friction', value: '0.5', text: (_, value) => `friction=${value}` },
  { label: 'shorten', names: 'shorten', value: '0.7', text: (name, value) => `shorten:${name}=${value}` },
  { label: 'add mass', names: 'mass', value: '+1.5', text: (name, value) => `mass:${name}=${/^[+-]/.test(value) ? value : `+${value}`}` },
];

/** The damage that the user chooses, in the words of mees_adapt. */
export class DamagePanel {
  private parts: string[] = [];
  private words: Word[] = [];
  private names: Record<string, string[]> = {};
  private motors: string[] = [];

  /** `changed` gets the whole damage; it throws for one that the robot cannot have. */
  constructor(private readonly changed: (damage: string) => void) {
    byId<HTMLSelectElement>('word').addEventListener('change', () => this.show_word());
    byId('add-damage').addEventListener('click', () => this.add());
    byId('repair').addEventListener('click', () => this.set(''));
  }

  get text(): string {
    return this.parts.join(',');
  }

  /** Another robot, undamaged. */
  set_robot(model: Model | undefined, description: Description | undefined): void {
    this.parts = [];
    const words = description?.damage_words ?? {};
    const count = model?.size('nu') ?? 0;
    this.motors = words.motors ?? Array.from({ length: count }, (_, i) => `J${i}`);
    this.names = { weak: this.motors, ...words };
    byId('motors').replaceChildren(...this.motors.map((motor, i) => {
      const chip = button(motor, () => this.toggle(motor));
      chip.title = model?.name('joint', model.integers('actuator_trnid')[2 * i]) ?? '';
      return chip;
    }));
    this.words = WORDS.filter(({ names }) => names === undefined || (this.names[names]?.length ?? 0) > 0);
    options(byId('word'), this.words.map(({ label }) => label));
    this.show_word();
    this.show();
  }
  /** Replaces the damage; a damage that the robot cannot have is reported and left out. */
  set(text: string): void {
    const before = this.parts;
    this.parts = text === '' ? [] : text.split(',').map((part) => part.trim());
    try {
      parse_damage(text);
      this.changed(this.text);
    } catch (error) {
      this.parts = before;
      this.show();
      throw error;
    }
    this.show();
  }
  toggle(part: string): void {
    const has = this.parts.includes(part);
    this.set((has ? this.parts.filter((other) => other !== part) : [...this.parts, part]).join(','));
  }
  /** Damages or repairs the motors of a body's joints. */
  toggle_body(model: Model, body: number): void {
    const first = model.integers('body_jntadr')[body];
    const count = first < 0 ? 0 : model.integers('body_jntnum')[body];
    const joints = Array.from({ length: count }, (_, i) => model.name('joint', first + i)).filter((name) => name !== '');
    const words = joints.flatMap((joint) => motors_called(model, joint)).map((motor) => this.motors[motor]);
    if (words.length === 0) {
      return;
    }
    const others = this.parts.filter((part) => !words.includes(part));
    const all = words.every((word) => this.parts.includes(word));
    this.set((all ? others : [...others, ...words]).join(','));
  }
  /** Bodies that a damage word concerns, to be painted. */
  bodies(model: Model): Set<number> {
    const bodies = new Set<number>();
    for (const { kind, name } of parse_damage(this.text)) {
      if (name === '') {
        continue;
      }
      if (kind === 'shorten' || kind === 'mass') {
        bodies.add(model.find('body', name));
      } else if (kind === 'lock' || kind === 'damping') {
        bodies.add(model.integers('jnt_bodyid')[model.find('joint', name)]);
      } else {
        motors_called(model, name).forEach((motor) => bodies.add(model.integers('jnt_bodyid')[model.integers('actuator_trnid')[2 * motor]]));
      }
    }
    return bodies;
  }

  private add(): void {
    const word = this.words[byId<HTMLSelectElement>('word').selectedIndex];
    const part = word.text(byId<HTMLSelectElement>('word-name').value, byId<HTMLInputElement>('word-value').value.trim());
    this.set([...this.parts, part].join(','));
  }
  private show_word(): void {
    const word = this.words[byId<HTMLSelectElement>('word').selectedIndex];
    const [names, value] = [byId<HTMLSelectElement>('word-name'), byId<HTMLInputElement>('word-value')];
    names.hidden = word?.names === undefined;
    options(names, (word?.names && this.names[word.names]) || []);
    value.hidden = word?.value === undefined;
    value.value = word?.value ?? '';
  }
  private show(): void {
    [...byId('motors').children].forEach((chip, i) => chip.setAttribute('aria-pressed', String(this.parts.includes(this.motors[i]))));
    const others = this.parts.filter((part) => !this.motors.includes(part));
    byId('damages').replaceChildren(...others.map((part) => button(`${part} ✕`, () => this.toggle(part))));
  }
}
