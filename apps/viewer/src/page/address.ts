/** What the URL says about the view: ?seed=N&damage=J0,J1&camera=A,E,D#cell=ID; all of it may also be in the fragment. */
export interface Address {
  cell?: number;
  seed?: number;
  damage?: string;
  camera?: [azimuth: number, elevation: number, distance: number];
  run?: number;
}

function number_in(text: string | null): number | undefined {
  return text !== null && /^\d+$/.test(text) ? Number(text) : undefined;
}

export function read_address(): Address {
  const query = new URLSearchParams(location.search);
  const fragment = new URLSearchParams(location.hash.replace(/^#/, ''));
  const get = (name: string) => fragment.get(name) ?? query.get(name);
  const camera = get('camera')?.split(',').map(Number);
  return {
    cell: number_in(get('cell')), seed: number_in(get('seed')), damage: get('damage') ?? undefined, run: number_in(get('run')),
    camera: camera?.length === 3 && camera.every(Number.isFinite) ? (camera as [number, number, number]) : undefined,
  };
}

/** Replaces the URL without a new entry in the history, and without the token. */
export function write_address({ cell, seed, damage, camera, run }: Address): void {
  const parts = new URLSearchParams();
  const set = (name: string, value: string | number | undefined) => value !== undefined && value !== '' && parts.set(name, String(value));
  set('seed', seed);
  set('damage', damage);
  set('run', run || undefined);
  set('camera', camera?.map((x) => x.toFixed(2)).join(','));
  const plain = (text: string) => text.replaceAll('%2C', ',').replaceAll('%3A', ':');
  const fragment = cell === undefined ? '' : `cell=${cell}`;
  if (location.protocol === 'file:') {
    location.replace(`#${[fragment, plain(parts.toString())].filter((part) => part !== '').join('&')}`);
  } else if (location.protocol.startsWith('http')) {
    history.replaceState(null, '', `${location.pathname}?${plain(parts.toString())}${fragment && `#${fragment}`}`);
  }
}
