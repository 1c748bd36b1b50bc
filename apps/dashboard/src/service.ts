import { type Service, started } from '#libs/services';
import { DashboardConfig } from './dashboard.config.js';

export const dashboard: Service<DashboardConfig> = {
  name: 'dashboard',
  config: DashboardConfig,
  listeners: [{ port: 'DASHBOARD_INTERNAL_PORT' }, { port: 'DASHBOARD_PORT', isPublic: true }],
  load: async () => {
    const { startDashboard } = await import('./start.js');
    return {
      controllers: [],
      jobs: [],
      start: async (given) => {
        const dashboard = await startDashboard(given);
        const { url, dashboardUrl } = dashboard;
        return { ...started(dashboard), addresses: { url, dashboardUrl } };
      },
    };
  },
};
