/** How badly messages and statements fare: probabilities, each for one message or statement. */
export interface Weather {
  /** The message vanishes; its receiver runs into a timeout. */
  lost: number;
  /** The connection is reset. */
  reset: number;
  /** The message arrives a second time. */
  doubled: number;
  /** It takes up to 20 s, and others overtake it. */
  late: number;
  /** A side that hangs up, or dies, is not noticed: the connection stays half open. */
  halfOpen: number;
  /** Somebody else answers in the server's place, which may have carried out the call, or never have received it. */
  foreign: number;
  /** A wake-up between servers, or of a long poll, is lost. */
  unheard: number;
  /** A statement or transaction waits up to 2 s before or after its effect. */
  slowStatement: number;
  /** It fails before its effect, or after it: the server cannot know which. */
  brokenStatement: number;
}

export const calm: Weather = {
  lost: 0,
  reset: 0,
  doubled: 0,
  late: 0,
  halfOpen: 0,
  foreign: 0,
  unheard: 0,
  slowStatement: 0,
  brokenStatement: 0,
};

export const windy: Weather = {
  lost: 0.01,
  reset: 0.02,
  doubled: 0.02,
  late: 0.03,
  halfOpen: 0.2,
  foreign: 0.01,
  unheard: 0.1,
  slowStatement: 0.01,
  brokenStatement: 0.003,
};

export const stormy: Weather = {
  lost: 0.1,
  reset: 0.1,
  doubled: 0.08,
  late: 0.15,
  halfOpen: 0.6,
  foreign: 0.1,
  unheard: 0.7,
  slowStatement: 0.05,
  brokenStatement: 0.03,
};
