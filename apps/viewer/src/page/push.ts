import * as THREE from 'three';
import type { Actor } from './actor';
import type { RobotScene } from './scene';

const CLICK_PIXELS = 4;
/** Newton per metre and kilogram of the robot. */
const STIFFNESS = 25;

interface Events {
  actor(): Actor | undefined;
  /** A click, not a drag, on a body. */
  clicked(body: number): void;
  /** The robot is about to be pushed. */
  grabbed(): void;
  redraw(): void;
}

/** Lets the pointer pull a robot by a body, as by a spring, and click its limbs. */
export class Push {
  private grip: { body: number; plane: THREE.Plane; from: { x: number; y: number }; dragged: boolean } | undefined;

  constructor(private readonly scene: RobotScene, private readonly events: Events) {
    const { canvas } = scene;
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const end of ['pointerup', 'pointercancel'] as const) {
      canvas.addEventListener(end, (event) => this.up(event));
    }
  }

  private down(event: PointerEvent): void {
    const actor = this.events.actor();
    const hit = actor && this.scene.body_at(event, actor.figure);
    if (!actor || !hit) {
      return;
    }
    const towards = this.scene.camera.getWorldDirection(new THREE.Vector3());
    this.grip = {
      body: hit.body, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(towards, hit.point),
      from: { x: event.offsetX, y: event.offsetY }, dragged: false,
    };
    this.scene.controls.enabled = false;
    this.scene.canvas.setPointerCapture(event.pointerId);
  }
  private move(event: PointerEvent): void {
    const { grip } = this;
    const actor = this.events.actor();
    if (!grip || !actor) {
      return;
    }
    const moved = Math.hypot(event.offsetX - grip.from.x, event.offsetY - grip.from.y);
    if (!grip.dragged && moved <= CLICK_PIXELS) {
      return;
    }
    if (!grip.dragged) {
      grip.dragged = true;
      this.events.grabbed();
    }
    const target = this.scene.cast(event).ray.intersectPlane(grip.plane, new THREE.Vector3());
    if (target) {
      const at = actor.figure.position(grip.body);
      const force = target.sub(at).multiplyScalar(STIFFNESS * actor.robot.model.total_mass);
      actor.task.world.views.xfrc_applied.set([force.x, force.y, force.z, 0, 0, 0], 6 * grip.body);
      this.events.redraw();
    }
  }
  private up(event: PointerEvent): void {
    const { grip } = this;
    this.grip = undefined;
    this.scene.controls.enabled = true;
    this.events.actor()?.task.world.views.xfrc_applied.fill(0);
    if (grip && !grip.dragged && event.type === 'pointerup') {
      this.events.clicked(grip.body);
    }
  }
}
