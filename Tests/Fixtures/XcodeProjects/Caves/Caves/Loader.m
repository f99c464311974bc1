// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The Larder authors

#import <Foundation/Foundation.h>

void loadBoss(NSBundleResourceRequest *request) {
    [request conditionallyBeginAccessingResourcesWithCompletionHandler:^(BOOL isThere) {
        NSString *path = [NSBundle.mainBundle pathForResource:@"roar" ofType:@"wav"];
        [request endAccessingResources];
    }];
}
