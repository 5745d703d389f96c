/** `bench tokenize`: a conversation that grows turn by turn, each with the same amount of new text. */
import { createDeltaTokenizer, getTokenizer, tokenizeConversation } from "@centspan/tokens";
import { defineBench, readNumber, round } from "../bench.ts";

const TURNS = 100;

export default defineBench({
  name: "tokenize",
  describe: "time of a turn's tokens, late in a conversation against early",
  flags: { rounds: "conversations to go through (20)", words: "new words of a turn (400)" },
  async run(flags, say) {
    const rounds = readNumber("rounds", flags.rounds, 20);
    const words = readNumber("words", flags.words, 400);
    const tokenizer = await getTokenizer("gpt-5");
    const early: number[] = [];
    const late: number[] = [];
    for (let at = 0; at < rounds; at++) {
      const delta = createDeltaTokenizer({ tokenizer, maxTokens: 4_000_000 });
      const items: { type: "message"; role: "user"; text: string }[] = [];
      for (let turn = 1; turn <= TURNS; turn++) {
        items.push({ type: "message", role: "user", text: makeText(at * TURNS + turn, words) });
        const conversation = { instructions: "Be brief.", tools: [], items: [...items] };
        const startMs = performance.now();
        const { ids } = delta.tokenize(conversation, `conversation ${at}`);
        const ms = performance.now() - startMs;
        if (turn === 2) early.push(ms);
        if (turn < TURNS) continue;
        late.push(ms);
        const whole = tokenizeConversation(tokenizer, conversation);
        if (ids.length !== whole.length || ids.some((id, index) => id !== whole[index])) {
          throw new Error("token by token it is not what the whole conversation comes to");
        }
      }
      say(
        `conversation ${at + 1}: ${round(early.at(-1) ?? 0, 3)} ms at turn 2, ${round(late.at(-1) ?? 0, 3)} ms at turn ${TURNS}`,
      );
    }
    const [turn2Ms, turn100Ms] = [median(early), median(late)];
    return {
      ratioTurn100ToTurn2: round(turn100Ms / turn2Ms, 3),
      turn2Ms: round(turn2Ms, 3),
      turn100Ms: round(turn100Ms, 3),
      turns: TURNS,
      idsEqual: true,
    };
  },
});

const WORDS = "the cache keeps what agents ask for again and evicts blocks of runs that ended long before".split(" ");

/** Another text each time, of the same length in words. */
const makeText = (seed: number, words: number): string =>
  Array.from({ length: words }, (_, at) => WORDS[(seed * 7 + at * (1 + (seed % 5))) % WORDS.length]).join(" ");

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
