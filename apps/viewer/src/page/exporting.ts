import type { MapData, Source } from './data';
import { button, byId, download } from './dom';

interface Shown {
  map(): MapData | undefined;
  map_canvas: HTMLCanvasElement;
  robot_canvas: HTMLCanvasElement;
  svg(): string;
  command(): string;
  /** Draws the robot now. */
  draw(): void;
  /** `note`: nothing is wrong. */
  report(message: string, note?: boolean): void;
}

const PLACEHOLDER = '<script id="mees-data" type="application/json">null</script>';
const CONTROLLERS = 100;

function to_base64(bytes: Uint8Array): string {
  let text = '';
  for (let i = 0; i < bytes.length; i += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
  }
  return btoa(text);
}

/** This page with the shown map in it, as mees_view --export writes it. */
async function page_with(map: MapData): Promise<string> {
  const version = encodeURIComponent(map.version);
  const [page, json] = await Promise.all(['/', `/api/map?run=${map.run_index}&version=${version}`].map(async (path) => (await fetch(path)).text()));
  const rows = map.cells.fitness.map((_, row) => row).sort((a, b) => map.cells.fitness[b] - map.cells.fitness[a]).slice(0, CONTROLLERS);
  const controllers: Record<string, string> = {};
  for (const row of rows) {
    const bytes = await (await fetch(`/api/controller?run=${map.run_index}&version=${version}&row=${row}`)).arrayBuffer();
    controllers[row] = to_base64(new Uint8Array(bytes));
  }
  const data = `{"map":${json},"controllers":${JSON.stringify(controllers)}}`;
  return page.replace(PLACEHOLDER, () => `<script id="mees-data" type="application/json">${data}</script>`);
}

/** The menu behind the export button. */
export class ExportMenu {
  private recorder: MediaRecorder | undefined;
  private readonly menu = byId('export-menu');

  constructor(private readonly shown: Shown, private readonly source: Source) {
    const opener = document.querySelector<HTMLButtonElement>('[data-action="export"]')!;
    const close = () => {
      this.menu.hidden = true;
      opener.setAttribute('aria-expanded', 'false');
    };
    opener.addEventListener('click', (event) => {
      event.stopPropagation();
      this.fill();
      this.menu.hidden = !this.menu.hidden;
      opener.setAttribute('aria-expanded', String(!this.menu.hidden));
    });
    document.addEventListener('click', close);
    document.addEventListener('keydown', (event) => event.key === 'Escape' && close());
  }

  private fill(): void {
    const { shown } = this;
    const name = shown.map()?.name ?? 'map';
    const item = (label: string, action: () => unknown) => button(label, () => {
      Promise.resolve().then(action).catch((error: Error) => shown.report(error.message));
    });
    const items = [
      item('Map as PNG', () => shown.map_canvas.toBlob((blob) => blob && download(`${name}-map.png`, blob))),
      item('Map as SVG', () => download(`${name}-map.svg`, new Blob([shown.svg()], { type: 'image/svg+xml' }))),
      item('Robot as PNG', () => {
        shown.draw();
        shown.robot_canvas.toBlob((blob) => blob && download(`${name}-robot.png`, blob));
      }),
      item(this.recorder ? 'Stop recording' : 'Record the robot (WebM)', () => this.record(name)),
      item('Copy the mees_replay command', () => this.copy(shown.command())),
      item('Copy a link to this view', () => this.copy(location.href)),
    ];
    if (this.source.is_live) {
      items.unshift(item(`This page with the best ${CONTROLLERS} (HTML)`, async () => {
        const map = shown.map();
        if (map) {
          download(`${name}.html`, new Blob([await page_with(map)], { type: 'text/html' }));
        }
      }));
    }
    this.menu.replaceChildren(...items);
  }
  private async copy(text: string): Promise<void> {
    await navigator.clipboard.writeText(text).catch(() => {
      throw new Error(`The browser does not allow copying: ${text}`);
    });
    this.shown.report(`Copied: ${text}`, true);
  }
  private record(name: string): void {
    if (this.recorder) {
      this.recorder.stop();
      this.recorder = undefined;
      return;
    }
    const pieces: Blob[] = [];
    this.recorder = new MediaRecorder(this.shown.robot_canvas.captureStream(30), { mimeType: 'video/webm' });
    this.recorder.ondataavailable = ({ data }) => pieces.push(data);
    this.recorder.onstop = () => download(`${name}-robot.webm`, new Blob(pieces, { type: 'video/webm' }));
    this.recorder.start();
    // A canvas that does not change gives no frames.
    const draw = () => {
      if (this.recorder) {
        this.shown.draw();
        requestAnimationFrame(draw);
      }
    };
    draw();
  }
}
