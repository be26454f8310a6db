/** The element with this id. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

/** A new element with text (never markup) and children. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, text = '', ...children: Node[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  element.textContent = text;
  element.append(...children);
  return element;
}

export function options(select: HTMLSelectElement, labels: string[], values: string[] = labels): void {
  select.replaceChildren(...labels.map((label, i) => {
    const option = make('option', label);
    option.value = values[i];
    return option;
  }));
}

export function button(label: string, action: () => void): HTMLButtonElement {
  const element = make('button', label);
  element.type = 'button';
  element.addEventListener('click', action);
  return element;
}

export function download(name: string, content: Blob): void {
  const link = make('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A canvas cleared and scaled for this screen, to be drawn in CSS pixels. */
export function clean(canvas: HTMLCanvasElement): { context: CanvasRenderingContext2D; width: number; height: number; style: CSSStyleDeclaration } {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height, style: getComputedStyle(canvas) };
}
