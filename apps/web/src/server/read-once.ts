/** A question to the store that is asked again is answered as before: several parts of one page rest on the same rows. */
export function readOnce<Q, A>(read: (workspace: string, question: Q) => Promise<A>): typeof read {
  const answers = new Map<string, Promise<A>>();
  return (workspace, question) => {
    const name = JSON.stringify([workspace, question], writeWhole);
    const answer = answers.get(name) ?? read(workspace, question);
    answers.set(name, answer);
    return answer;
  };
}

const writeWhole = (_name: string, value: unknown): unknown => (typeof value === "bigint" ? `${value}n` : value);
