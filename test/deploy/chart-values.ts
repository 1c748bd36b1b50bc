/** Values with which the chart is proven: files within it, later ones over earlier ones. */
export const CHART_VALUES: Record<string, string[]> = {
  'all off': ['ci/all-off-values.yaml'],
  defaults: ['ci/defaults-values.yaml'],
  'all on': ['ci/all-on-values.yaml'],
  'brought along': ['ci/brought-along-values.yaml'],
  small: ['values-small.yaml', 'ci/all-off-values.yaml'],
  production: ['values-production.yaml', 'ci/all-on-values.yaml'],
};
