import * as THREE from 'three';
import type { Actor } from './actor';
import type { RobotScene } from './scene';

const CLICK_PIXELS = 4;
/** Newton per metre and kilogram of the robot. */
const STIFFNESS = 25;
/** Newton per kilogram of the robot: enough to lift it, too little to throw it far. */
const MOST = 15;

interface Events {
  actor(): Actor | undefined;
  /** A click, not a drag, on a body. */
  clicked(body: number): void;
  /** The robot is about to be pulled. */
  grabbed(): void;
}

interface Grip {
  actor: Actor;
  body: number;
  /** The point that was grabbed, in the frame of the body. */
  point: THREE.Vector3;
  from: { offsetX: number; offsetY: number };
  cursor: { offsetX: number; offsetY: number };
  dragged: boolean;
}

/**
 * Lets the pointer pull a robot by a point of a body, as by a spring, and click its limbs. `pull` must be called before every control step.
 * A held robot stays held over a reset, but not when another robot takes its place. The camera rests while a robot is held.
 */
export class Push {
  private grip: Grip | undefined;

  constructor(private readonly scene: RobotScene, private readonly events: Events) {
    const { canvas } = scene;
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel'] as const) {
      canvas.addEventListener(end, (event) => this.up(event));
    }
  }

  /** Sets the force of the spring for the state that the robot is in now. */
  pull(): void {
    const { grip } = this;
    if (!grip?.dragged) {
      return;
    }
    if (grip.actor !== this.events.actor()) {
      this.release();
      return;
    }
    const { xpos, xmat, xipos, xfrc_applied } = grip.actor.task.world.views;
    const [i, m] = [3 * grip.body, 9 * grip.body];
    const turn = new THREE.Matrix3().fromArray(xmat, m).transpose(); // MuJoCo's matrices are by rows
    const point = grip.point.clone().applyMatrix3(turn).add(new THREE.Vector3(xpos[i], xpos[i + 1], xpos[i + 2]));
    const shown = point.clone().add(grip.actor.figure.root.position);
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(this.scene.camera.getWorldDirection(new THREE.Vector3()), shown);
    const target = this.scene.cast(grip.cursor).ray.intersectPlane(plane, new THREE.Vector3());
    if (target) {
      const force = target.sub(shown).multiplyScalar(STIFFNESS).clampLength(0, MOST).multiplyScalar(grip.actor.robot.model.total_mass);
      const torque = point.sub(new THREE.Vector3(xipos[i], xipos[i + 1], xipos[i + 2])).cross(force);
      xfrc_applied.set([...force, ...torque], 6 * grip.body);
    }
  }

  private down(event: PointerEvent): void {
    const actor = this.events.actor();
    const hit = actor && this.scene.body_at(event, actor.figure);
    if (!actor || !hit) {
      return;
    }
    const { offsetX, offsetY } = event;
    this.grip = { actor, ...hit, from: { offsetX, offsetY }, cursor: { offsetX, offsetY }, dragged: false };
    this.scene.controls.enabled = false;
    this.scene.canvas.style.cursor = 'grabbing';
    this.scene.canvas.setPointerCapture(event.pointerId);
  }
  private move({ offsetX, offsetY }: PointerEvent): void {
    const { grip } = this;
    const cursor = { offsetX, offsetY };
    if (!grip) {
      const actor = this.events.actor();
      this.scene.canvas.style.cursor = actor && this.scene.body_at(cursor, actor.figure) ? 'pointer' : '';
      return;
    }
    grip.cursor = cursor;
    if (!grip.dragged && Math.hypot(offsetX - grip.from.offsetX, offsetY - grip.from.offsetY) > CLICK_PIXELS) {
      grip.dragged = true;
      this.scene.hold(true);
      this.events.grabbed();
    }
  }
  private up(event: PointerEvent): void {
    const { grip } = this;
    this.release();
    if (grip && !grip.dragged && event.type === 'pointerup') {
      this.events.clicked(grip.body);
    }
  }
  private release(): void {
    this.grip = undefined;
    this.scene.controls.enabled = true;
    this.scene.canvas.style.cursor = '';
    this.scene.hold(false);
    this.events.actor()?.task.world.views.xfrc_applied.fill(0);
  }
}
