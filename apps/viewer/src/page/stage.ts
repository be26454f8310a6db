import { Actor } from './actor';
import { RobotScene } from './scene';

interface Events {
  /** After a control step of the first actor, and after a reset. */
  stepped(): void;
  ended(): void;
}

/** Simulated seconds that may be made up for at once, so that a slow page stays usable. */
const MOST_OWED = 0.5;
const FRAME_BUDGET_MS = 30;
const LANE = 2.2;

/** Runs actors in step with the clock and draws them. The first actor leads: its episode is the one that is described. */
export class Stage {
  speed = 1;
  private actors: Actor[] = [];
  private is_playing = false;
  private owed = 0;
  private last = 0;
  private dirty = true;

  /** Called before every control step. */
  before_step: (() => void) | undefined;

  constructor(readonly scene: RobotScene | undefined, private readonly events: Events) {
    if (scene) {
      scene.on_camera = () => {
        this.dirty = true;
      };
    }
    const frame = (now: number) => {
      this.frame(now);
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  }

  get playing(): boolean {
    return this.is_playing;
  }
  get leader(): Actor | undefined {
    return this.actors[0];
  }
  get cast(): readonly Actor[] {
    return this.actors;
  }
  /** Replaces the actors. `apart`: side by side in lanes; else all in the same place. */
  set_actors(actors: Actor[], apart: boolean): void {
    for (const actor of this.actors) {
      if (!actors.includes(actor)) {
        this.scene?.remove(actor.figure);
        actor.delete();
      }
    }
    this.actors = actors;
    const columns = Math.ceil(Math.sqrt(actors.length));
    actors.forEach((actor, i) => {
      if (apart) {
        const [row, column] = [Math.floor(i / columns), i % columns];
        actor.figure.root.position.set(-LANE * row, LANE * (column - (columns - 1) / 2), 0);
      }
      this.scene?.add(actor.figure);
    });
    this.dirty = true;
  }
  play(): void {
    this.is_playing = true;
    this.last = performance.now();
  }
  pause(): void {
    this.is_playing = false;
    this.owed = 0;
    this.dirty = true;
  }
  reset(seed: number): void {
    this.actors.forEach((actor) => actor.reset(seed));
    this.owed = 0;
    this.dirty = true;
    this.events.stepped();
  }
  /** One control step of all. */
  step(): void {
    const [leader, ...others] = this.actors;
    this.before_step?.();
    const goes_on = leader?.step() ?? false;
    let any = goes_on;
    others.forEach((actor) => {
      any = actor.step() || any;
    });
    this.dirty = true;
    this.events.stepped();
    if (!goes_on && (others.length === 0 || !any)) {
      this.is_playing = false;
      this.events.ended();
    }
  }
  redraw(): void {
    this.dirty = true;
  }

  private frame(now: number): void {
    const leader = this.leader;
    if (leader && this.is_playing) {
      const seconds = leader.task.control_seconds;
      this.owed = Math.min(this.owed + (this.speed * (now - this.last)) / 1000, Math.max(MOST_OWED, seconds) * Math.max(this.speed, 1));
      this.last = now;
      const begin = performance.now();
      while (this.is_playing && this.owed >= seconds && performance.now() - begin < FRAME_BUDGET_MS) {
        this.owed -= seconds;
        this.step();
      }
    }
    if (this.scene && leader && (this.is_playing || this.dirty)) {
      this.dirty = false;
      const share = this.is_playing ? Math.min(this.owed / leader.task.control_seconds, 1) : 1;
      this.actors.forEach((actor) => actor.figure.pose(share));
      this.scene.track(leader.figure.position(1));
      this.scene.render();
    }
  }
}
