import { load_engine, VERSION, type Mujoco } from '../engine/mujoco';
import { make_robot, type Robot } from '../engine/robot';
import type { Controller } from '../policy/policy';
import { Actor } from './actor';
import { viridis } from './colours';
import { load_wasm, type MapData } from './data';
import { byId } from './dom';
import { RobotScene } from './scene';
import { Stage } from './stage';

interface Events {
  stepped(): void;
  ended(): void;
}

const GHOST = { colour: '#7f93ad', opacity: 0.35 };

/** The robot of a map on the stage: with its damage, with an undamaged ghost, or as a wall of elites. */
export class Player {
  readonly stage: Stage;
  readonly scene: RobotScene | undefined;
  wasm!: WebAssembly.Module;
  private mujoco!: Mujoco;
  private map: MapData | undefined;
  private robots: Robot[] = [];
  private is_wall = false;

  constructor(events: Events) {
    try {
      this.scene = new RobotScene(byId<HTMLCanvasElement>('robot'));
    } catch {
      this.message('This browser has no WebGL, so the robot cannot be drawn. The simulation and all figures work. Enable WebGL or use another browser to see it.');
    }
    this.stage = new Stage(this.scene, events);
  }

  async load(): Promise<void> {
    this.wasm = await load_wasm();
    this.mujoco = await load_engine(this.wasm);
  }
  message(text: string): void {
    byId('stage-message').textContent = text;
    byId('stage-message').hidden = text === '';
  }
  get leader(): Actor | undefined {
    return this.stage.leader;
  }
  get wall(): boolean {
    return this.is_wall;
  }
  get undamaged(): Robot | undefined {
    return this.robots[0];
  }

  /** Compiles the robot with this damage. Throws for a damage that it cannot have; the old robot then stays. */
  set_robot(map: MapData, damage: string, ghost: boolean): void {
    if (!map.domain) {
      this.stage.set_actors([], false);
      return;
    }
    const undamaged = make_robot(this.mujoco, map.domain, '');
    const robots = [undamaged];
    let actors: Actor[];
    try {
      if (damage !== '') {
        robots.push(make_robot(this.mujoco, map.domain, damage));
      }
      actors = [new Actor(robots[robots.length - 1], map.network)];
      if (damage !== '' && ghost) {
        const ghost = new Actor(undamaged, map.network, GHOST);
        const walls = undamaged.model.integers('body_geomnum')[0] > 1;
        ghost.figure.root.position.y = walls ? 0 : 0.28 * undamaged.model.raw.stat.extent;
        actors.push(ghost);
      }
    } catch (error) {
      robots.forEach(({ model }) => model.delete());
      throw error;
    }
    this.take(map, robots, actors, false);
  }

  /** Many elites at once, coloured by their fitness. */
  set_wall(map: MapData, controllers: Controller[], shares: number[]): void {
    const robot = make_robot(this.mujoco, map.domain!, '');
    const actors = controllers.map((controller, i) => {
      const actor = new Actor(robot, map.network, { colour: viridis(shares[i]) });
      actor.load(controller);
      return actor;
    });
    this.take(map, [robot], actors, true);
  }

  private take(map: MapData, robots: Robot[], actors: Actor[], wall: boolean): void {
    const old = this.robots;
    const is_first = this.map?.domain?.model !== map.domain?.model;
    this.map = map;
    this.robots = robots;
    this.is_wall = wall;
    // In a world with walls all robots are in the same place.
    const apart = wall && robots[0].model.integers('body_geomnum')[0] <= 1;
    this.stage.set_actors(actors, apart);
    old.forEach(({ model }) => model.delete());
    this.scene?.set_world(robots[0].model);
    if (is_first || wall) {
      this.place_camera(apart ? Math.sqrt(actors.length) : 1);
    }
    const { mujoco_version } = map.run;
    if (mujoco_version !== VERSION) {
      console.warn(`This map was made with MuJoCo ${mujoco_version}, the page has ${VERSION}: its controllers may behave differently.`);
    }
  }
  /** Behind and beside a walking robot; from above where there are walls. */
  place_camera(rows = 1): void {
    const robot = this.robots[0];
    if (!this.scene || !robot) {
      return;
    }
    const { model } = robot;
    const position = model.array('body_pos');
    const walls = model.integers('body_geomnum')[0] > 1;
    const distance = model.raw.stat.extent * (walls ? 1.1 : 0.7 + 0.35 * (rows - 1));
    this.scene.look({ x: position[3], y: position[4], z: 0.6 * position[5] }, -2.1, walls ? 0.75 : rows > 1 ? 0.55 : 0.38, distance);
  }
}
