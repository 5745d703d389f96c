"use client";

export const PrintButton = ({ text }: { text: string }) => (
  <button type="button" className="control no-print" onClick={() => window.print()}>
    {text}
  </button>
);
