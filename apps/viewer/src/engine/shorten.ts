import { GEOM, type Model } from './mujoco';

type Vec3 = [number, number, number];
type Mat3 = number[]; // row-major

interface Solid {
  volume: number;
  centre: Vec3;
  inertia: Mat3; // about the centre, density 1
}

function add_parallel_axis(inertia: Mat3, mass: number, [x, y, z]: Vec3): void {
  const square = x * x + y * y + z * z;
  const offset = [x, y, z];
  for (let i = 0; i < 3; ++i) {
    for (let j = 0; j < 3; ++j) {
      inertia[3 * i + j] += mass * ((i === j ? square : 0) - offset[i] * offset[j]);
    }
  }
}

/** Of a geom in its own frame, density 1: volume and moments. */
function volume_and_moments(type: number, size: ArrayLike<number>): [number, Vec3] {
  const [r, h] = [size[0], size[1]];
  const ball = (4 / 3) * Math.PI * r ** 3;
  const rod = 2 * Math.PI * r * r * h;
  const across_rod = rod * ((r * r) / 4 + (h * h) / 3);
  const along_rod = (rod * r * r) / 2;
  switch (type) {
    case GEOM.sphere: return [ball, [0.4 * ball * r * r, 0.4 * ball * r * r, 0.4 * ball * r * r]];
    case GEOM.cylinder: return [rod, [across_rod, across_rod, along_rod]];
    case GEOM.capsule: {
      const across = across_rod + ball * (0.4 * r * r + h * h + 0.75 * h * r);
      return [ball + rod, [across, across, along_rod + 0.4 * ball * r * r]];
    }
    case GEOM.box: {
      const [x, y, z] = [size[0], size[1], size[2]];
      const volume = 8 * x * y * z;
      return [volume, [(volume / 3) * (y * y + z * z), (volume / 3) * (x * x + z * z), (volume / 3) * (x * x + y * y)]];
    }
    default: throw new Error('cannot shorten a body (it has a geom that is not a sphere, capsule, cylinder or box).');
  }
}

function rotation(q: ArrayLike<number>): Mat3 {
  const [w, x, y, z] = [q[0], q[1], q[2], q[3]];
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
  ];
}

function geoms_of(model: Model, body: number): number[] {
  const first = model.integers('body_geomadr')[body];
  return Array.from({ length: model.integers('body_geomnum')[body] }, (_, i) => first + i);
}

function solid_of(model: Model, body: number): Solid {
  const solid: Solid = { volume: 0, centre: [0, 0, 0], inertia: new Array<number>(9).fill(0) };
  for (const geom of geoms_of(model, body)) {
    const [volume, moments] = volume_and_moments(model.integers('geom_type')[geom], model.array('geom_size').subarray(3 * geom, 3 * geom + 3));
    const centre = Array.from(model.array('geom_pos').subarray(3 * geom, 3 * geom + 3)) as Vec3;
    const turn = rotation(model.array('geom_quat').subarray(4 * geom, 4 * geom + 4));
    solid.volume += volume;
    for (let i = 0; i < 3; ++i) {
      solid.centre[i] += volume * centre[i];
      for (let j = 0; j < 3; ++j) {
        for (let k = 0; k < 3; ++k) {
          solid.inertia[3 * i + j] += turn[3 * i + k] * moments[k] * turn[3 * j + k];
        }
      }
    }
    add_parallel_axis(solid.inertia, volume, centre);
  }
  if (solid.volume > 0) {
    solid.centre = solid.centre.map((x) => x / solid.volume) as Vec3;
    add_parallel_axis(solid.inertia, -solid.volume, solid.centre);
  }
  return solid;
}

function scale_geom(model: Model, geom: number, factor: number): void {
  const size = model.array('geom_size').subarray(3 * geom, 3 * geom + 3);
  const bound = model.array('geom_rbound');
  switch (model.integers('geom_type')[geom]) {
    case GEOM.capsule:
      size[1] *= factor;
      bound[geom] = size[0] + size[1];
      break;
    case GEOM.cylinder:
      size[1] *= factor;
      bound[geom] = Math.hypot(size[0], size[1]);
      break;
    case GEOM.box:
      size[size.indexOf(Math.max(...size))] *= factor;
      bound[geom] = Math.hypot(...size);
      break;
  }
  scale3(model.array('geom_pos'), geom, factor);
}

function scale3(values: Float64Array, row: number, factor: number): void {
  for (let i = 3 * row; i < 3 * row + 3; ++i) {
    values[i] *= factor;
  }
}

/** The body keeps this share of its length; see lib/mees/sim/detail/shorten.cpp. */
export function shorten_body(model: Model, body: number, factor: number): void {
  const before = body === 0 ? undefined : solid_of(model, body);
  if (!before || !(before.volume > 0)) {
    throw new Error('cannot shorten a body (it is the world or has no geoms). Shorten another body.');
  }
  const density = model.array('body_mass')[body] / before.volume;
  geoms_of(model, body).forEach((geom) => scale_geom(model, geom, factor));
  model.integers('body_parentid').forEach((parent, child) => parent === body && scale3(model.array('body_pos'), child, factor));
  model.integers('site_bodyid').forEach((owner, site) => owner === body && scale3(model.array('site_pos'), site, factor));
  const after = solid_of(model, body);
  model.array('body_mass')[body] = density * after.volume;
  model.array('body_ipos').set(after.centre, 3 * body);
  model.diagonalise(after.inertia.map((x) => density * x), model.array('body_inertia').subarray(3 * body, 3 * body + 3),
    model.array('body_iquat').subarray(4 * body, 4 * body + 4));
}
