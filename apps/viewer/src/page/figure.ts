import * as THREE from 'three';
import { GEOM, type Model, type World } from '../engine/mujoco';

const HIDDEN_GROUP = 3;
const SEGMENTS = 20;

/** The geoms of a body that are meant to be seen. */
export function shown_geoms(model: Model, body: number): number[] {
  const first = model.integers('body_geomadr')[body];
  return Array.from({ length: model.integers('body_geomnum')[body] }, (_, i) => first + i)
    .filter((geom) => model.integers('geom_group')[geom] < HIDDEN_GROUP);
}

function mesh_geometry(model: Model, geom: number): THREE.BufferGeometry {
  const mesh = model.integers('geom_dataid')[geom];
  const floats = (name: string) => model.array(name) as unknown as Float32Array;
  const [vertex, count] = [model.integers('mesh_vertadr')[mesh], model.integers('mesh_vertnum')[mesh]];
  const [face, faces] = [model.integers('mesh_faceadr')[mesh], model.integers('mesh_facenum')[mesh]];
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute('position', new THREE.BufferAttribute(floats('mesh_vert').slice(3 * vertex, 3 * (vertex + count)), 3));
  geometry.setIndex([...model.integers('mesh_face').slice(3 * face, 3 * (face + faces))]);
  geometry.computeVertexNormals();
  return geometry;
}

/** `shrink` makes capsules thinner by this share. */
export function geometry_of(model: Model, geom: number, shrink = 0): THREE.BufferGeometry {
  const [a, b, c] = model.array('geom_size').subarray(3 * geom, 3 * geom + 3);
  const upright = (geometry: THREE.BufferGeometry) => geometry.rotateX(Math.PI / 2); // MuJoCo's axis is z, three's y
  switch (model.integers('geom_type')[geom]) {
    case GEOM.sphere: return new THREE.SphereGeometry(a, SEGMENTS, SEGMENTS);
    case GEOM.ellipsoid: return new THREE.SphereGeometry(1, SEGMENTS, SEGMENTS).scale(a, b, c);
    case GEOM.capsule: return upright(new THREE.CapsuleGeometry(a * (1 - shrink), 2 * b, 8, SEGMENTS));
    case GEOM.cylinder: return upright(new THREE.CylinderGeometry(a, a, 2 * b, SEGMENTS));
    case GEOM.box: return new THREE.BoxGeometry(2 * a, 2 * b, 2 * c);
    case GEOM.mesh: return mesh_geometry(model, geom);
    default: return new THREE.BufferGeometry();
  }
}

export function colour_of(model: Model, geom: number): [THREE.Color, number] {
  const material = model.integers('geom_matid')[geom];
  const own = model.array('geom_rgba').slice(4 * geom, 4 * geom + 4);
  const is_default = own[0] === 0.5 && own[1] === 0.5 && own[2] === 0.5 && own[3] === 1;
  const rgba = material >= 0 && is_default ? model.array('mat_rgba').slice(4 * material, 4 * material + 4) : own;
  return [new THREE.Color().setRGB(rgba[0], rgba[1], rgba[2], THREE.SRGBColorSpace), rgba[3]];
}

export function material_of(model: Model, geom: number): THREE.MeshStandardMaterial {
  const [color, opacity] = colour_of(model, geom);
  return new THREE.MeshStandardMaterial({ color, opacity, transparent: opacity < 1, roughness: 0.55, metalness: 0.05 });
}

export interface Paint {
  /** Instead of the model's colours. */
  colour?: string;
  opacity?: number;
}

/**
 * The moving parts of a robot as seen. It shows the motion between the last two states given to it, because a control step is long
 * compared with a frame.
 */
export class Figure {
  readonly root = new THREE.Group();
  private readonly bodies: THREE.Group[] = [];
  private before: { position: Float64Array; turn: Float64Array };
  private after: { position: Float64Array; turn: Float64Array };

  constructor(private readonly model: Model, paint: Paint = {}) {
    const count = model.size('nbody');
    const state = () => ({ position: new Float64Array(3 * count), turn: new Float64Array(4 * count) });
    this.before = state();
    this.after = state();
    for (let body = 0; body < count; ++body) {
      const group = new THREE.Group();
      group.matrixAutoUpdate = true;
      if (body > 0) {
        shown_geoms(model, body).forEach((geom) => group.add(this.make_mesh(geom, body, paint)));
      }
      this.bodies.push(group);
      this.root.add(group);
    }
  }

  private make_mesh(geom: number, body: number, paint: Paint): THREE.Mesh {
    const { model } = this;
    const material = material_of(model, geom);
    if (paint.colour) {
      material.color.set(paint.colour);
    }
    if (paint.opacity !== undefined) {
      material.opacity = paint.opacity;
      material.transparent = true;
      material.depthWrite = false;
    }
    // Capsules of equal radius would flicker where they overlap, at the joints.
    let depth = 0;
    for (let parent = body; parent > 1; parent = model.integers('body_parentid')[parent]) {
      ++depth;
    }
    const mesh = new THREE.Mesh(geometry_of(model, geom, Math.min(0.025 * depth, 0.2)), material);
    mesh.castShadow = paint.opacity === undefined;
    mesh.receiveShadow = paint.opacity === undefined;
    const [position, quaternion] = [model.array('geom_pos'), model.array('geom_quat')];
    mesh.position.fromArray(position, 3 * geom);
    mesh.quaternion.set(quaternion[4 * geom + 1], quaternion[4 * geom + 2], quaternion[4 * geom + 3], quaternion[4 * geom]);
    mesh.userData.body = body;
    return mesh;
  }

  /** Paints the given bodies as damaged, all others in their colours. */
  mark(bodies: Set<number>, colour: string): void {
    this.bodies.forEach((group, body) => group.children.forEach((child) => {
      const material = (child as THREE.Mesh).material as THREE.MeshStandardMaterial;
      material.userData.own ??= material.color.clone();
      if (bodies.has(body)) {
        material.color.set(colour);
      } else {
        material.color.copy(material.userData.own as THREE.Color);
      }
    }));
  }

  /** Takes the state of the world as the latest one. `jump`: there is no motion from the one before. */
  take(world: World, jump = false): void {
    [this.before, this.after] = [this.after, this.before];
    const { xpos, xquat } = world.views;
    this.after.position.set(xpos);
    this.after.turn.set(xquat);
    if (jump) {
      this.before.position.set(xpos);
      this.before.turn.set(xquat);
    }
  }
  /** Poses the bodies at this share (0..1) of the way to the latest state. */
  pose(share: number): void {
    const from = new THREE.Quaternion();
    const to = new THREE.Quaternion();
    const [p0, p1, q0, q1] = [this.before.position, this.after.position, this.before.turn, this.after.turn];
    this.bodies.forEach((group, body) => {
      const [i, k] = [3 * body, 4 * body];
      group.position.set(p0[i] + share * (p1[i] - p0[i]), p0[i + 1] + share * (p1[i + 1] - p0[i + 1]), p0[i + 2] + share * (p1[i + 2] - p0[i + 2]));
      from.set(q0[k + 1], q0[k + 2], q0[k + 3], q0[k]);
      to.set(q1[k + 1], q1[k + 2], q1[k + 3], q1[k]);
      group.quaternion.slerpQuaternions(from, to, share);
    });
  }
  /** Where a body is shown, in the scene. */
  position(body: number): THREE.Vector3 {
    return this.bodies[Math.min(body, this.bodies.length - 1)].position.clone().add(this.root.position);
  }
  /** A point of the scene in the frame of a body. */
  local(body: number, point: THREE.Vector3): THREE.Vector3 {
    return this.bodies[body].worldToLocal(point.clone());
  }
  dispose(): void {
    this.root.traverse((object) => {
      if (object instanceof THREE.Mesh) {
        (object.geometry as THREE.BufferGeometry).dispose();
        (object.material as THREE.Material).dispose();
      }
    });
  }
}
