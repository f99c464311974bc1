// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

extension PackManifest {
    /// What `ba-package template` writes: a manifest that is right as it stands, and explains itself.
    package static let template = """
        {
          // The pack's name: letters, digits, "." and "-". App Store Connect refuses underscores.
          "assetPackID": "Tutorial",

          // When a device fetches the pack by itself. Exactly one of:
          //   "essential"  as part of the app's installation; the app cannot be launched before
          //   "prefetch"   from the installation on, in the background
          //   "onDemand"   only when the app asks: { "onDemand": {} }
          // The first two name the events: "firstInstallation" of the app, "subsequentUpdate", or both.
          "downloadPolicy": {
            "prefetch": {
              "installationEventTypes": ["firstInstallation", "subsequentUpdate"]
            }
          },

          // Which files go into the pack. Paths are relative to "sourceRoot".
          "fileSelectors": [
            { "file": "Videos/Intro.m4v" },
            { "directory": "Levels" }

            // Patterns: "*" and "?" within a name, "**" over folders, "[a-z]", "{png,jpg}".
            // , { "filePattern": "Music/**/*.{ogg,m4a}" }

            // Another place in the pack; "." is its root.
            // , { "fileSource": "Build/intro-final.m4v", "fileDestination": "Videos/Intro.m4v" }
            // , { "directorySource": "Build/Levels", "directoryDestination": "Levels" }

            // Left out, whichever selector takes it. Without a slash it is a name in any folder.
            // , { "fileExclusion": "*.psd" }
          ],

          // "iOS" (iPads too), "macOS", "tvOS", "visionOS", "Linux". An empty list means all of them.
          "platforms": ["iOS", "macOS", "tvOS", "visionOS", "Linux"]

          // The language of a localised pack: language, script and region as in BCP 47.
          // , "language": "en-GB"

          // The folder that selectors look in, relative to this file.
          // Without it they look in the folder where the command is run.
          // , "sourceRoot": "../Assets"

          // Anything the app wants to know about the pack (self-hosted packs only).
          // , "userInfo": { "chapter": 1 }
        }

        """
}
