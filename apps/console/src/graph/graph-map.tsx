import type { JSX, TargetedPointerEvent } from 'preact';
import { useMemo } from 'preact/hooks';
import { GRAPH } from '../words/graph.js';
import type { Size, Viewport } from './view.js';

/** A box on the map. */
export interface MapMark extends Size {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly look: string;
}

interface GraphMapProps {
  readonly drawing: Size;
  readonly marks: readonly MapMark[];
  /** The room in which the drawing is seen, and where it stands there. */
  readonly room: Size;
  readonly viewport: Viewport;
  readonly onMoved: (viewport: Viewport) => void;
}

/** Around the drawing, in its pixels. */
const PAD = 40;

/** The whole of a drawing, small, and the part of it that is in view, which a pointer moves. */
export function GraphMap(props: GraphMapProps): JSX.Element {
  const { drawing, marks, onMoved, room, viewport } = props;
  const { x, y, zoom } = viewport;
  const [width, height] = [drawing.width + 2 * PAD, drawing.height + 2 * PAD];
  const boxes = useMemo(
    () => marks.map(({ id, look, ...box }) => <rect key={id} class={look} rx={8} {...box} />),
    [marks],
  );
  const seen = `M${-x / zoom},${-y / zoom}h${room.width / zoom}v${room.height / zoom}h${-room.width / zoom}z`;
  const goTo = (event: TargetedPointerEvent<SVGSVGElement>): void => {
    const matrix = event.currentTarget.getScreenCTM();
    if (event.buttons !== 1 || matrix === null) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix.inverse());
    onMoved({ x: room.width / 2 - at.x * zoom, y: room.height / 2 - at.y * zoom, zoom });
  };
  return (
    <svg
      class="graph-map"
      role="img"
      aria-label={GRAPH.map}
      viewBox={`${-PAD} ${-PAD} ${width} ${height}`}
      onPointerDown={goTo}
      onPointerMove={goTo}>
      {boxes}
      <path class="map-mask" d={`M${-PAD},${-PAD}h${width}v${height}h${-width}z${seen}`} />
    </svg>
  );
}
