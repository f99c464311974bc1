// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

import AssetPacks
import DeviceProtocol
import Kit
import PackUpdates

extension AppAssets {
    /// What updates of the app's local packs would bring, by the newest manifest.
    func forecasts(_ app: String) async throws -> [PackUpdateForecast] {
        let manifest = try await catalogue.fetch(app, keys: try await keys(app)).manifest
        var forecasts: [PackUpdateForecast] = []
        for local in try await store.localPacks(app: app).sorted(by: { $0.id < $1.id }) {
            var forecast = PackUpdateForecast(
                id: local.id, localVersion: local.version, availableVersion: manifest[local.id]?.version)
            if let offered = manifest[local.id] {
                forecast.downloadSize = offered.downloadSize
                if offered.version != local.version {
                    do {
                        if let found = try await store.forecast(app: app, pack: offered) { forecast.add(found) }
                    } catch let error as any LarderError {
                        // One pack's server does not keep the others' forecasts away.
                        forecast.note = error.message
                    }
                }
            }
            forecasts.append(forecast)
        }
        return forecasts
    }
}

extension PackUpdateForecast {
    fileprivate mutating func add(_ forecast: UpdateForecast) {
        (method, note) = (forecast.method.rawValue, forecast.note)
        (toMove, toWrite) = (forecast.toFetch, forecast.toWrite)
    }
}
