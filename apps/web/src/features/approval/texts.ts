/** What the page of an approval says. Its own, as it is read by people who see no other page. */
import type { Language } from "#i18n";

const en = {
  title: "Approval",
  asks: (who: string, until: string) => `${who} asks, until ${until}`,
  about: "It is about",
  name: "Your name",
  minutes: "Minutes that you spent on it",
  note: "Note",
  approve: "Approve",
  refuse: "Refuse",
  accountable: "Your name is kept with the result: you answer for it.",
  approved: "Approved. Thank you.",
  refused: "Refused. Thank you.",
  decided: "This was decided already.",
  over: "The time of this link is over.",
  unknown: "This link is not valid.",
};

const ko: typeof en = {
  title: "승인",
  asks: (who, until) => `${who} 요청, ${until}까지`,
  about: "대상",
  name: "이름",
  minutes: "검토에 쓴 시간(분)",
  note: "메모",
  approve: "승인",
  refuse: "거절",
  accountable: "이름은 결과와 함께 보관되며, 결과에 대한 책임자로 표시됩니다.",
  approved: "승인했습니다. 감사합니다.",
  refused: "거절했습니다. 감사합니다.",
  decided: "이미 결정되었습니다.",
  over: "링크의 기한이 지났습니다.",
  unknown: "유효하지 않은 링크입니다.",
};

export const getApprovalTexts = (language: Language): typeof en => ({ en, ko })[language];
