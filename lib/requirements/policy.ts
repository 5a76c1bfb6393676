/** Who may change what is declared: code that reaches a missing package too, explicit requests only, or nobody. */
export const resolutionPolicies = ['implicit', 'explicit', 'fixed'] as const;
export type ResolutionPolicy = (typeof resolutionPolicies)[number];
