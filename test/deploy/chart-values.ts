/** Sets of values for testing the chart. Each set consists of files in the chart; later ones override earlier ones. */
export const CHART_VALUES: Record<string, string[]> = {
  'all off': ['ci/all-off-values.yaml'],
  defaults: ['ci/defaults-values.yaml'],
  'all on': ['ci/all-on-values.yaml'],
  'brought along': ['ci/brought-along-values.yaml'],
  small: ['values-small.yaml', 'ci/all-off-values.yaml'],
  production: ['values-production.yaml', 'ci/all-on-values.yaml'],
};

/** The settings that apply to every pod (`defaults`), each checked once. */
export const FOR_EVERY_POD = {
  nodeSelector: { 'example.org/pool': 'domains' },
  tolerations: [{ key: 'dedicated', operator: 'Exists' }],
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'gpu', operator: 'DoesNotExist' }] }],
      },
    },
  },
  priorityClassName: 'important',
  podAnnotations: { 'example.org/cost': '42' },
  podLabels: { 'example.org/team': 'domains' },
  serviceAccount: { create: true, annotations: { 'example.org/role': 'reader' } },
  extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/run/authorities/ca.crt' }],
  extraVolumes: [{ name: 'authorities', configMap: { name: 'authorities' } }],
  extraVolumeMounts: [{ name: 'authorities', mountPath: '/run/authorities', readOnly: true }],
  podSecurityContext: { fsGroupChangePolicy: 'Always' },
  securityContext: { runAsNonRoot: true },
};
