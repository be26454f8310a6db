import { GEOM, load_engine, VERSION, type Model, type Mujoco } from '../engine/mujoco';
import { make_robot, type Robot } from '../engine/robot';
import { extent } from '../numbers';
import type { Controller } from '../policy/policy';
import { Actor } from './actor';
import { viridis } from './colours';
import { load_wasm, type MapData } from './data';
import { byId } from './dom';
import { shown_geoms } from './figure';
import { RobotScene } from './scene';
import { Stage } from './stage';

interface Events {
  stepped(): void;
  ended(): void;
}

/** Metres: a robot in a larger maze is followed, because it could not be seen in a picture of the whole. */
const LARGE_MAZE = 25;

/** Whether the world is more than a floor. */
const has_walls = (model: Model) => model.integers('body_geomnum')[0] > 1;
/** The rectangle that the walls take, if it can be seen as a whole. */
function small_maze(model: Model): { centre: number[]; side: number } | undefined {
  const [position, size] = [model.array('geom_pos'), model.array('geom_size')];
  const walls = shown_geoms(model, 0).filter((geom) => model.integers('geom_type')[geom] !== GEOM.plane);
  const ranges = [0, 1].map((axis) => extent(walls.flatMap((geom) => [-1, 1].map((sign) => position[3 * geom + axis] + sign * size[3 * geom + axis]))));
  const side = Math.max(...ranges.map(([lower, upper]) => upper - lower));
  return side <= LARGE_MAZE ? { centre: ranges.map(([lower, upper]) => (lower + upper) / 2), side } : undefined;
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
        ghost.figure.root.position.y = has_walls(undamaged.model) ? 0 : 0.28 * undamaged.model.raw.stat.extent;
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
    const apart = wall && !has_walls(robots[0].model);
    this.stage.set_actors(actors, apart);
    old.forEach(({ model }) => model.delete());
    this.scene?.set_world(robots[0].model);
    if (is_first && this.scene) {
      this.scene.follow = byId<HTMLInputElement>('follow').checked = !has_walls(robots[0].model) || !small_maze(robots[0].model);
    }
    if (is_first || wall) {
      this.place_camera(apart ? Math.sqrt(actors.length) : 1);
    }
    const { mujoco_version } = map.run;
    if (mujoco_version !== VERSION) {
      console.warn(`This map was made with MuJoCo ${mujoco_version}, the page has ${VERSION}: its controllers may behave differently.`);
    }
  }
  /** Behind and beside a walking robot, or above a maze. `angles`: from there instead. */
  place_camera(rows = 1, angles?: [azimuth: number, elevation: number, distance: number]): void {
    const robot = this.robots[0];
    if (!this.scene || !robot) {
      return;
    }
    const { model } = robot;
    const walls = has_walls(model);
    const maze = walls ? small_maze(model) : undefined;
    const [, , , x, y, z] = model.array('body_pos');
    if (maze) {
      this.scene.look({ x: maze.centre[0], y: maze.centre[1], z: 0 }, ...(angles ?? [-2.1, 0.95, 1.45 * maze.side]));
    } else if (walls) {
      this.scene.look({ x, y, z }, ...(angles ?? [-2.1, 0.75, 0.5 * LARGE_MAZE]));
    } else {
      this.scene.look({ x, y, z: 0.9 * z }, ...(angles ?? [-2.1, rows > 1 ? 0.55 : 0.38, model.raw.stat.extent * (0.7 + 0.35 * (rows - 1))]));
    }
  }
}
