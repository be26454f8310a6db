import * as THREE from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { GEOM, type Model } from '../engine/mujoco';
import { Figure, geometry_of, material_of, shown_geoms } from './figure';

export interface Look {
  dark: boolean;
}

/** How the camera begins to catch up with a robot that was let go. */
const SLOW = 0.03;
const SKY = { light: 0xe9eef4, dark: 0x12171f };
const FLOOR = { light: [0xdfe3e8, 0xcfd5dc], dark: [0x1d242e, 0x27303c] } as const;

/** The tiles under a robot. */
function floor_texture(dark: boolean): THREE.Texture {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d')!;
  const [one, two] = FLOOR[dark ? 'dark' : 'light'].map((colour) => `#${colour.toString(16).padStart(6, '0')}`);
  context.fillStyle = one;
  context.fillRect(0, 0, 64, 64);
  context.fillStyle = two;
  context.fillRect(0, 0, 32, 32);
  context.fillRect(32, 32, 32, 32);
  const texture = new THREE.CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
  texture.colorSpace = THREE.SRGBColorSpace;
  texture.anisotropy = 4;
  return texture;
}

/** True if WebGL runs on the processor: shadows would make it crawl. */
function is_software(renderer: THREE.WebGLRenderer): boolean {
  const context = renderer.getContext();
  const info = context.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(context.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  return /swiftshader|llvmpipe|software|basic render/i.test(name);
}

/** The world of the robots in three dimensions; draws when asked to. */
export class RobotScene {
  readonly renderer: THREE.WebGLRenderer;
  readonly camera = new THREE.PerspectiveCamera(45, 1, 0.05, 500);
  readonly controls: OrbitControls;
  follow = true;
  private readonly scene = new THREE.Scene();
  private readonly world = new THREE.Group();
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.6);
  private dark = false;
  private model: Model | undefined;
  private readonly target = new THREE.Vector3();
  private held = false;
  /** Share of the way to the point it follows that the camera makes in a frame. */
  private haste = 1;
  private readonly ray = new THREE.Raycaster();

  /** Throws where there is no WebGL. */
  constructor(readonly canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
    const software = is_software(this.renderer);
    this.renderer.setPixelRatio(software ? 1 : Math.min(window.devicePixelRatio || 1, 2));
    this.renderer.shadowMap.enabled = !software;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    THREE.Object3D.DEFAULT_UP.set(0, 0, 1);
    this.camera.up.set(0, 0, 1);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.scene.add(this.world, this.sun, this.sun.target, this.sky);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.maxPolarAngle = 1.55;
    this.controls.addEventListener('change', () => this.on_camera?.());
    new ResizeObserver(() => this.resize()).observe(canvas.parentElement!);
    this.resize();
  }

  /** Called when the user moves the camera. */
  on_camera: (() => void) | undefined;

  set_dark(dark: boolean): void {
    this.dark = dark;
    this.scene.background = new THREE.Color(dark ? SKY.dark : SKY.light);
    this.scene.fog = new THREE.Fog(dark ? SKY.dark : SKY.light, 25, 90);
    if (this.model) {
      this.set_world(this.model);
    }
  }
  /** What does not move: floor and walls. */
  set_world(model: Model): void {
    this.model = model;
    this.world.clear();
    for (const geom of shown_geoms(model, 0)) {
      const plane = model.integers('geom_type')[geom] === GEOM.plane;
      const mesh = plane ? this.make_floor(model, geom) : new THREE.Mesh(geometry_of(model, geom), material_of(model, geom));
      mesh.receiveShadow = true;
      mesh.castShadow = !plane;
      const [position, quaternion] = [model.array('geom_pos'), model.array('geom_quat')];
      mesh.position.fromArray(position, 3 * geom);
      mesh.quaternion.set(quaternion[4 * geom + 1], quaternion[4 * geom + 2], quaternion[4 * geom + 3], quaternion[4 * geom]);
      this.world.add(mesh);
    }
  }
  private make_floor(model: Model, geom: number): THREE.Mesh {
    const size = model.array('geom_size');
    const side = (i: number) => (size[3 * geom + i] > 0 ? 2 * size[3 * geom + i] : 400);
    const texture = floor_texture(this.dark);
    texture.repeat.set(side(0) / 2, side(1) / 2);
    return new THREE.Mesh(new THREE.PlaneGeometry(side(0), side(1)), new THREE.MeshStandardMaterial({ map: texture, roughness: 0.95 }));
  }

  add(figure: Figure): void {
    this.scene.add(figure.root);
  }
  remove(figure: Figure): void {
    this.scene.remove(figure.root);
    figure.dispose();
  }

  /** Looks at a point from a direction (radians) and distance. */
  look(at: THREE.Vector3Like, azimuth: number, elevation: number, distance: number): void {
    this.controls.target.copy(at);
    this.target.copy(at);
    const flat = distance * Math.cos(elevation);
    this.camera.position.set(at.x + flat * Math.cos(azimuth), at.y + flat * Math.sin(azimuth), at.z + distance * Math.sin(elevation));
    this.controls.update();
  }
  get angles(): { azimuth: number; elevation: number; distance: number } {
    const offset = this.camera.position.clone().sub(this.controls.target);
    const distance = offset.length();
    return { azimuth: Math.atan2(offset.y, offset.x), elevation: Math.asin(offset.z / distance), distance };
  }
  /** While it is held, the camera does not follow; then it catches up. */
  hold(held: boolean): void {
    if (this.held && !held) {
      this.haste = SLOW;
    }
    this.held = held;
  }
  /** Moves the camera along with a point. */
  track(point: THREE.Vector3Like): void {
    const step = new THREE.Vector3(point.x - this.target.x, point.y - this.target.y, 0);
    this.haste = Math.min(1, 1.15 * this.haste);
    step.multiplyScalar(!this.follow ? 1 : this.held ? 0 : this.haste);
    this.target.add(step);
    if (this.follow) {
      this.camera.position.add(step);
      this.controls.target.add(step);
    }
    this.sun.position.set(point.x - 3, point.y - 4, 9);
    this.sun.target.position.set(point.x, point.y, 0);
  }
  /** The ray from the camera through a point of the canvas. */
  cast(event: { offsetX: number; offsetY: number }): THREE.Raycaster {
    const { clientWidth, clientHeight } = this.canvas;
    this.ray.setFromCamera(new THREE.Vector2((2 * event.offsetX) / clientWidth - 1, 1 - (2 * event.offsetY) / clientHeight), this.camera);
    return this.ray;
  }
  /** The body of a figure under a point of the canvas, and the point of it in its frame. */
  body_at(event: { offsetX: number; offsetY: number }, figure: Figure): { body: number; point: THREE.Vector3 } | undefined {
    const [hit] = this.cast(event).intersectObject(figure.root, true);
    return hit ? { body: hit.object.userData.body as number, point: figure.local(hit.object.userData.body as number, hit.point) } : undefined;
  }
  resize(): void {
    const { clientWidth, clientHeight } = this.canvas.parentElement!;
    if (clientWidth > 0 && clientHeight > 0) {
      this.renderer.setSize(clientWidth, clientHeight, false);
      this.camera.aspect = clientWidth / clientHeight;
      this.camera.updateProjectionMatrix();
    }
  }
  render(): void {
    this.renderer.render(this.scene, this.camera);
  }
}
