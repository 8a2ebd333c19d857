/** The time, handed in from the edge: rules that ask a clock can be tested at any hour. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
