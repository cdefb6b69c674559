// How fast the drawing is where it runs, as measured while somebody moves the view.

/** What is left out: nothing, arrows of edges, or names too. */
export type Plain = 0 | 1 | 2;

/** A frame above it is slow. */
export const FRAME_MS_MAX = 50;
/** Frames that are looked at together. */
const FRAMES = 12;
/** A longer gap is no frame: the window was hidden, or the machine slept. */
const GAP_MS = 2000;

/** Says after each frame whether less should be drawn: when half of the last frames were slow. */
export class Pace {
    plain: Plain = 0;
    #frames: number[] = [];

    /** A frame took so long; true when less is to be drawn from now on. */
    frame(ms: number): boolean {
        if (ms > GAP_MS || this.plain === 2) return false;
        this.#frames.push(ms);
        if (this.#frames.length < FRAMES) return false;
        const slow = this.#frames.filter((one) => one > FRAME_MS_MAX).length;
        this.#frames = this.#frames.slice(-FRAMES + 1);
        if (2 * slow <= FRAMES) return false;
        // What is drawn now has to be slow again before more is left out.
        this.#frames = [];
        this.plain = this.plain === 0 ? 1 : 2;
        return true;
    }

    /** Draws all again. */
    reset(): void {
        this.plain = 0;
        this.#frames = [];
    }
}
