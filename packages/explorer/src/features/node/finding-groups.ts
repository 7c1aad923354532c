// Transactions that break a rule for the same reason.
import type { Result } from '../../rpc/methods.js';

export type Finding = Result<'devnet_listRuleFindings'>['findings'][number];

/** Transactions that break one rule for one reason. */
export interface FindingGroup {
  readonly reason: string;
  /** Newest first. */
  readonly findings: readonly Finding[];
  readonly senders: readonly string[];
}

/** Groups by rule, the largest first. @param findings newest first */
export function groupFindings(
  findings: readonly Finding[],
): ReadonlyMap<string, readonly FindingGroup[]> {
  const groups = new Map<string, readonly FindingGroup[]>();
  for (const [rule, broken] of groupBy(findings, (finding) => finding.rule))
    groups.set(rule, groupsOf(broken));
  return groups;
}

function groupsOf(findings: readonly Finding[]): readonly FindingGroup[] {
  return [...groupBy(findings, (finding) => finding.reason)]
    .map(([reason, alike]) => {
      const senders = alike.map(({ sender_address }) => sender_address);
      return {
        reason,
        findings: alike,
        senders: [...new Set(senders)].filter((sender) => sender !== undefined),
      };
    })
    .sort((a, b) => b.findings.length - a.findings.length);
}

function groupBy(
  findings: readonly Finding[],
  keyOf: (finding: Finding) => string,
): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    const alike = groups.get(keyOf(finding)) ?? [];
    groups.set(keyOf(finding), alike);
    alike.push(finding);
  }
  return groups;
}
