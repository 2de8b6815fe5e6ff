// The plans, in words.

/** The limits of the plans (api.md, Quota). */
export const plans = {
  free: '100 requests every 30 days, 1 API key',
  pro: '5,000 requests per month, 5 API keys',
  none: 'no active plan; requests return 403',
};

/** Use of the request limit, as a part of it, from which pages warn. */
export const NEARLY_USED = 0.8;

/** "Pro plan", "no plan". */
export function planName(plan) {
  return plan === 'none' ? 'no plan' : plan[0].toUpperCase() + plan.slice(1) + ' plan';
}
